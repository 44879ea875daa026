// The embedded data as arrays, and what is worked out of them. Nothing here touches the page.

// A packed series: [n] stands for n repetitions of the number before it.
function unpack(packed) {
  const out = [];
  for (const item of packed) {
    if (Array.isArray(item)) {
      const last = out[out.length - 1];
      for (let i = 0; i < item[0]; i += 1) out.push(last);
    } else out.push(item);
  }
  return out;
}

// A series at a time between two entries; outside of it, its ends.
function between(series, time) {
  const last = series.length - 1;
  const entry = Math.min(Math.max(Math.floor(time), 0), last);
  const share = Math.min(Math.max(time - entry, 0), 1);
  return entry === last || share === 0 ? series[entry] : series[entry] + (series[entry + 1] - series[entry]) * share;
}

function openEpisode(raw, nAgents) {
  const open = { ...raw };
  for (const name of ["x", "y", "health", "shield", "cooldown", "target", "actions"]) open[name] = raw[name].map(unpack);
  open.rewards = unpack(raw.rewards);
  open.gained = [0];
  for (const reward of open.rewards) open.gained.push(open.gained[open.gained.length - 1] + reward);
  const count = (from, to) =>
    Array.from({ length: raw.steps + 1 }, (_, t) => open.health.slice(from, to).filter((h) => h[t] > 0).length);
  open.living = { agents: count(0, nAgents), others: count(nAgents, raw.units.length) };
  if (raw.messages) open.messages = openMessages(raw.messages, open.health.slice(0, nAgents));
  return open;
}

// Components with values[agent][value][entry], and `most`, the largest amount that any agent has.
function openMessages(raw, health) {
  const opened = (component) => {
    const values = component.values.map((agent) => agent.map(unpack));
    const most = values.flat(2).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    return { ...component, values, most };
  };
  const sent = raw.sent && raw.sent.map(opened);
  const kept = raw.kept.map(opened);
  for (const component of sent || []) {
    if (raw.keeps_all.includes(component.part)) kept.push(...everythingSent(component, health));
  }
  return { ...raw, sent, kept: kept.sort((a, b) => a.part - b.part) };
}

// What a part without a `receive` keeps: every other agent's payload, as long as the receiver lives.
function everythingSent(component, health) {
  return component.values.map((said, sender) => ({
    part: component.part,
    name: `${component.name}.from_${sender}`,
    most: component.most,
    values: health.map((lives, receiver) =>
      said.map((series) => series.map((value, t) => (receiver === sender || lives[t] <= 0 ? 0 : value)))),
  }));
}

// Whether a unit's weapon reaches its target, from edge to edge; else it is on its way.
function reaches(episode, slot, target, time) {
  const far = Math.hypot(
    between(episode.x[slot], time) - between(episode.x[target], time),
    between(episode.y[slot], time) - between(episode.y[target], time));
  const [unit, other] = [episode.units[slot], episode.units[target]];
  return far <= unit.range + unit.radius + other.radius + 0.1;
}

function shortNumber(value) {
  if (value === 0 || Math.abs(value) >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(2)));
}
