// What agents send and keep, as tables that are built once for an episode and filled at every step.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const WRITTEN = 4; // values of one component that are written out below their bars

// A cell with a bar from the middle for one number, or thin bars side by side for several.
function valueCell(tag, width) {
  const cell = element(tag, "value");
  if (width === 1) {
    const track = element("span", "track"), bar = element("span", "bar"), text = element("span", "number");
    track.append(bar);
    cell.append(track, text);
    const fill = ([value], most) => {
      const share = (Math.min(Math.abs(value) / most, 1) * 50).toFixed(1);
      bar.style.width = `${share}%`;
      bar.style.left = value < 0 ? `${50 - share}%` : "50%";
      cell.classList.toggle("silent", value === 0);
      text.textContent = shortNumber(value);
    };
    return { cell, fill };
  }
  const bars = element("span", "bars");
  const all = Array.from({ length: width }, () => bars.appendChild(element("span")));
  const text = element("span", width <= WRITTEN ? "number" : "number sr-only");
  cell.append(bars, text);
  const fill = (values, most) => {
    all.forEach((bar, i) => {
      const share = Math.min(Math.abs(values[i]) / most, 1) * 50;
      bar.style.height = `${Math.max(share, 2).toFixed(1)}%`;
      bar.style.bottom = values[i] < 0 ? `${(50 - share).toFixed(1)}%` : "50%";
      bar.classList.toggle("silent", values[i] === 0);
    });
    cell.classList.toggle("silent", !values.some(Boolean));
    text.textContent = values.map(shortNumber).join(" ");
    cell.title = text.textContent;
  };
  return { cell, fill };
}

const at = (series, entry) => series.map((values) => values[entry]);

// The table of payloads: a row per component, a column per sender. Returns what shows an entry.
function sentTable(table, episode, nAgents) {
  const { sent } = episode.messages;
  table.replaceChildren();
  // columns of one width, which stay where they are when numbers change
  table.style.minWidth = `${110 + 62 * nAgents}px`;
  const head = table.createTHead().insertRow();
  head.append(element("th", "", "component"));
  const columns = Array.from({ length: nAgents }, (_, agent) => {
    const title = element("th", "sender", String(agent));
    title.scope = "col";
    title.title = episode.units[agent].title;
    head.append(title);
    return title;
  });
  const body = table.createTBody();
  const cells = sent.map((component) => {
    const row = body.insertRow(), name = element("th", "", component.name);
    name.scope = "row";
    name.title = `part ${component.part}`;
    row.append(name);
    return component.values.map((values) => {
      const made = valueCell("td", values.length);
      row.append(made.cell);
      return made;
    });
  });
  return (entry, selected) => {
    sent.forEach((component, c) => component.values.forEach((values, agent) => {
      cells[c][agent].fill(at(values, entry), component.most);
      cells[c][agent].cell.classList.toggle("chosen", agent === selected);
    }));
    columns.forEach((title, agent) => {
      title.classList.toggle("chosen", agent === selected);
      title.classList.toggle("dead", episode.health[agent][entry] <= 0);
    });
  };
}

const SHOWN = 24;

// The list of what one receiver keeps; of many components only those that it ever hears of.
function keptTable(table, note, episode, receiver) {
  const all = episode.messages.kept;
  const heard = all.filter((component) => component.values[receiver].flat().some(Boolean));
  const shown = all.length > SHOWN ? heard : all;
  note.textContent = shown.length < all.length ? `${all.length - shown.length} more are 0 in the whole episode.` : "";
  table.replaceChildren();
  const body = table.createTBody();
  const cells = shown.map((component) => {
    const row = body.insertRow(), name = element("th", "", component.name);
    name.scope = "row";
    const made = valueCell("td", component.values[receiver].length);
    row.append(name, made.cell);
    return made;
  });
  return (entry) => shown.forEach((component, c) => cells[c].fill(at(component.values[receiver], entry), component.most));
}
