// The player: time, keys, the list of agents, the timeline.

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];
const byId = (id) => document.getElementById(id);

function start() {
  const page = JSON.parse(byId("data").textContent);
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const view = { time: 0, playing: false, speed: page.speed, selected: 0, circles: "selected", zoom: false };
  let episode = null, shownEntry = -1, listed = [], fillSent = null, fillKept = null, before = 0;

  function openNumber(index) {
    episode = openEpisode(page.episodes[index], page.agents);
    byId("episode").value = String(index);
    byId("outcome").textContent = `${episode.outcome} after ${episode.steps} steps`;
    byId("outcome").dataset.outcome = episode.outcome;
    byId("scrubber").max = String(episode.steps);
    listAgents();
    openMessagesPanel();
    seek(0);
  }

  // -- what is shown ---------------------------------------------------------------------------------------------

  function draw() {
    drawField(byId("field"), page, episode, view);
    const entry = Math.floor(view.time);
    byId("scrubber").value = String(view.time);
    drawTimeline();
    if (entry === shownEntry) return;
    shownEntry = entry;
    showEntry(entry);
  }

  function showEntry(entry) {
    const { agents, others } = episode.living;
    const now = entry > 0 ? episode.rewards[entry - 1] : 0;
    byId("step").textContent = `${entry} / ${episode.steps}`;
    byId("reward").textContent = episode.gained[entry].toFixed(2);
    byId("gain").textContent = now ? `${now > 0 ? "+" : "−"}${Math.abs(now).toFixed(2)}` : "";
    byId("agents-left").textContent = `${agents[entry]} / ${page.agents}`;
    byId("others-left").textContent = `${others[entry]} / ${episode.units.length - page.agents}`;
    const said = `Step ${entry} of ${episode.steps}: ${agents[entry]} of ${page.agents} agents and ${others[entry]} of `
      + `${episode.units.length - page.agents} others left, reward ${episode.gained[entry].toFixed(2)}`
      + (entry === episode.steps ? `, ${episode.outcome}.` : ".");
    byId("field").setAttribute("aria-label", said);
    byId("scrubber").setAttribute("aria-valuetext", said);
    if (!view.playing) byId("said").textContent = said;
    listed.forEach((item, agent) => fillAgent(item, agent, entry));
    if (fillSent) fillSent(entry, view.selected);
    if (fillKept) fillKept(entry);
  }

  function listAgents() {
    byId("agents").replaceChildren();
    listed = episode.units.slice(0, page.agents).map((unit, agent) => {
      const button = element("button", "agent"), life = element("span", "life"), full = element("span", "full");
      button.type = "button";
      life.append(full);
      const parts = { button, full, amount: element("span", "amount"), action: element("span", "action") };
      const title = element("span", "name", unit.title.replace(/^agent \d+ /, ""));
      button.append(element("span", "mark", unit.mark), title, life, parts.amount, parts.action);
      button.addEventListener("focus", () => select(agent));
      button.addEventListener("click", () => select(agent));
      byId("agents").append(button);
      return parts;
    });
  }

  function fillAgent(item, agent, entry) {
    const unit = episode.units[agent], health = episode.health[agent][entry], shield = episode.shield[agent][entry];
    const lives = health > 0;
    item.full.style.width = `${(100 * (health + shield)) / (unit.health + unit.shield)}%`;
    item.amount.textContent = lives ? String(Math.round(health + shield)) : page.gone;
    const target = entry < episode.steps ? episode.target[agent][entry] : -1;
    const name = entry < episode.steps && lives ? episode.names[episode.actions[agent][entry]] : "";
    const aims = target >= 0 ? ` → ${episode.units[target].mark}` : "";
    item.action.textContent = name ? name.replaceAll("_", " ") + aims : "";
    item.button.classList.toggle("dead", !lives);
    item.button.setAttribute("aria-pressed", String(agent === view.selected));
  }

  function openMessagesPanel() {
    const messages = episode.messages;
    byId("messages").hidden = !messages;
    fillSent = fillKept = null;
    if (!messages) return;
    byId("protocol").textContent = `${messages.name}, ${messages.acted_on ? "acted on" : "beside: the policy does not see it"}`;
    byId("sent-box").hidden = !messages.sent;
    if (messages.sent) fillSent = sentTable(byId("sent"), episode, page.agents);
    openKept();
  }

  function openKept() {
    if (!episode.messages) return;
    const { left_out: leftOut } = episode.messages;
    byId("receiver").textContent = `agent ${view.selected}`;
    fillKept = keptTable(byId("kept"), byId("kept-note"), episode, view.selected);
    if (leftOut) byId("kept-note").textContent = `${leftOut} numbers per receiver are left out: too many for a page.`;
  }

  function drawTimeline() {
    const canvas = byId("timeline"), ratio = window.devicePixelRatio || 1, colours = palette();
    const width = canvas.clientWidth, height = canvas.clientHeight, edge = 8, base = height - 3;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const brush = canvas.getContext("2d");
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = (t) => edge + ((width - 2 * edge) * t) / episode.steps;
    const most = Math.max(page.agents, episode.units.length - page.agents);
    const y = (count) => base - (count / most) * (base - 5);
    for (const [counts, colour] of [[episode.living.others, colours.other], [episode.living.agents, colours.agent]]) {
      brush.beginPath();
      counts.forEach((count, t) => {
        if (t) brush.lineTo(x(t), y(counts[t - 1]));
        brush.lineTo(x(t), y(count));
      });
      brush.lineWidth = 2;
      brush.strokeStyle = colour;
      brush.stroke();
    }
    brush.fillStyle = colours.muted;
    brush.fillRect(edge, base, width - 2 * edge, 1);
    brush.fillStyle = colours.ink;
    brush.fillRect(x(view.time) - 1, 0, 2, height);
  }

  // -- what moves it ---------------------------------------------------------------------------------------------

  function seek(time) {
    view.time = Math.min(Math.max(time, 0), episode.steps);
    shownEntry = -1;
    draw();
  }

  const step = (by) => { play(false); seek((by > 0 ? Math.floor(view.time) : Math.ceil(view.time)) + by); };

  function play(on) {
    if (on === view.playing) return;
    view.playing = on;
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    byId("play").querySelector("path").setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M4 2v12l10-6z");
    if (!on) { shownEntry = -1; draw(); return; }
    if (view.time >= episode.steps) seek(0);
    before = 0;
    requestAnimationFrame(tick);
  }

  let due = 0; // time owed to the next whole step, where motion is reduced

  function tick(now) {
    if (!view.playing) return;
    // a page that was hidden goes on where it was
    const passed = before ? Math.min((now - before) / 1000, 0.5) * view.speed : 0;
    before = now;
    due = still.matches ? due + passed : passed;
    if (!still.matches || due >= 1) {
      view.time = Math.min(view.time + (still.matches ? Math.floor(due) : due), episode.steps);
      due = still.matches ? due % 1 : 0;
      draw();
    }
    if (view.time >= episode.steps) play(false);
    else requestAnimationFrame(tick);
  }

  function select(agent) {
    if (agent >= page.agents || agent === view.selected) return;
    view.selected = agent;
    openKept();
    shownEntry = -1;
    draw();
  }

  function faster(by) {
    const near = SPEEDS.reduce((best, speed, i) => (Math.abs(speed - view.speed) < Math.abs(SPEEDS[best] - view.speed) ? i : best), 0);
    view.speed = SPEEDS[Math.min(Math.max(near + by, 0), SPEEDS.length - 1)];
    showSpeed();
  }

  const showSpeed = () => { byId("speed").textContent = `${shortNumber(view.speed)} steps/s`; };

  function circles(to) {
    view.circles = to || CIRCLES[(CIRCLES.indexOf(view.circles) + 1) % CIRCLES.length];
    byId("circles").querySelector("span").textContent = view.circles;
    draw();
  }

  function zoom() {
    view.zoom = !view.zoom;
    byId("zoom").setAttribute("aria-pressed", String(view.zoom));
    draw();
  }

  const other = (by) => {
    const index = Number(byId("episode").value) + by;
    if (index >= 0 && index < page.episodes.length) { play(false); openNumber(index); }
  };

  const KEYS = {
    " ": () => play(!view.playing),
    ArrowLeft: () => step(-1), ArrowRight: () => step(1),
    Home: () => { play(false); seek(0); }, End: () => { play(false); seek(episode.steps); },
    "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
    z: () => zoom(), Z: () => zoom(),
    s: () => circles(), S: () => circles(),
    PageUp: () => other(-1), PageDown: () => other(1),
    "?": () => byId("help").showModal(),
  };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const { target, key } = event;
    if (target.tagName === "SELECT") return;
    // a button that has the focus is pressed by space; one in the list of agents is chosen already
    if (key === " " && target.tagName === "BUTTON" && !target.classList.contains("agent")) return;
    if (/^[0-9]$/.test(key)) select(Number(key));
    else if (KEYS[key]) KEYS[key]();
    else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", onKey);
  // Firefox presses a button when the key is let go
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.classList.contains("agent")) event.preventDefault();
  });
  byId("play").addEventListener("click", () => play(!view.playing));
  byId("first").addEventListener("click", KEYS.Home);
  byId("back").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("last").addEventListener("click", KEYS.End);
  byId("slower").addEventListener("click", () => faster(-1));
  byId("faster").addEventListener("click", () => faster(1));
  byId("circles").addEventListener("click", () => circles());
  byId("zoom").addEventListener("click", zoom);
  byId("circles").hidden = !page.sight;
  byId("open-help").addEventListener("click", KEYS["?"]);
  byId("scrubber").addEventListener("input", (event) => { play(false); seek(Number(event.target.value)); });
  byId("episode").addEventListener("change", (event) => { play(false); openNumber(Number(event.target.value)); });
  const point = (event) => {
    const box = byId("timeline").getBoundingClientRect();
    play(false);
    seek(Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * episode.steps));
  };
  byId("timeline").addEventListener("pointerdown", point);
  byId("timeline").addEventListener("pointermove", (event) => { if (event.buttons) point(event); });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  page.episodes.forEach((one, index) => {
    const option = element("option", "", `episode ${one.episode}: ${one.outcome}`);
    option.value = String(index);
    byId("episode").append(option);
  });
  byId("episode").hidden = page.episodes.length < 2;
  showSpeed();
  // #episode=1&step=20&agent=2&circles=all&zoom=1 opens the page there
  const asked = new URLSearchParams(location.hash.slice(1));
  const number = (name) => Math.max(Number(asked.get(name)) || 0, 0);
  openNumber(Math.min(number("episode"), page.episodes.length - 1));
  select(Math.min(number("agent"), page.agents - 1));
  circles(CIRCLES.includes(asked.get("circles")) ? asked.get("circles") : "selected");
  if (asked.has("zoom")) zoom();
  if (asked.has("step")) seek(Math.floor(number("step")));
  else if (!still.matches) play(true);
}
