(() => {
"use strict";

// ---- charts: drawn when they come near, again when the colour scheme changes

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const charts = [...document.querySelectorAll(".chart")];
const views = new Map();

function look() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const [ink, soft, line] = [colour("--ink"), colour("--soft"), colour("--line")];
  const font = "system-ui, sans-serif";
  const words = { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  return {
    background: "transparent",
    font,
    view: { stroke: line },
    axis: { ...words, gridColor: line, gridOpacity: 0.6, domainColor: soft, tickColor: soft },
    legend: { ...words, labelLimit: 260 },
    header: { labelColor: ink, titleColor: ink },
    title: { color: ink },
    text: { color: ink, fontSize: 12 },
    rule: { color: soft },
    bar: { minBandSize: 2 },
    legendTitlePadding: 6,
  };
}

async function draw(figure) {
  views.get(figure)?.finalize();
  const plot = figure.querySelector(".plot");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  const options = { mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: look(), tooltip: { theme: dark.matches ? "dark" : "light" } };
  views.set(figure, await drawChart(plot, spec, options));
  figure.dataset.drawn = "yes";
}

async function save(button) {
  const figure = button.closest(".chart");
  if (!views.has(figure)) await draw(figure);
  const kind = button.dataset.save;
  const background = getComputedStyle(document.body).backgroundColor;
  const view = views.get(figure).view;
  const before = view.background();
  view.background(background);
  const link = document.createElement("a");
  link.href = await view.toImageURL(kind, kind === "png" ? 2 : 1);
  link.download = figure.querySelector("h4").textContent.replace(/[^\w]+/g, "-").toLowerCase() + "." + kind;
  view.background(before);
  link.click();
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) {
      near.unobserve(entry.target);
      draw(entry.target);
    }
  }
}, { rootMargin: "800px" });

charts.forEach((figure) => {
  near.observe(figure);
  figure.querySelectorAll("[data-save]").forEach((button) => button.addEventListener("click", () => save(button)));
});
dark.addEventListener("change", () => views.forEach((_, figure) => draw(figure)));
window.addEventListener("beforeprint", () => charts.forEach((figure) => views.has(figure) || draw(figure)));

// ---- tables: sorted by a column's button, filtered by a word

function sorted(heading) {
  const table = heading.closest("table");
  const place = [...heading.parentNode.children].indexOf(heading);
  const down = heading.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = (row) => row.children[place].dataset.key;
  const rows = [...table.tBodies[0].rows];
  const known = rows.filter((row) => key(row) !== "");
  const numbers = known.every((row) => Number.isFinite(Number(key(row))));
  known.sort((a, b) => (numbers ? key(a) - key(b) : key(a).localeCompare(key(b))) * (down ? -1 : 1));
  table.tBodies[0].append(...known, ...rows.filter((row) => key(row) === ""));
}

function filtered(box) {
  const rows = [...box.querySelector("tbody").rows];
  const words = box.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
  rows.forEach((row) => { row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)); });
  box.querySelector("output").textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
}

document.querySelectorAll("th button").forEach((button) => button.addEventListener("click", () => sorted(button.parentNode)));
document.querySelectorAll(".table input").forEach((input) => input.addEventListener("input", () => filtered(input.closest(".table"))));
})();
