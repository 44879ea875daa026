// The field on its canvas: ground, circles, attack lines, units with bars and rings.

const CIRCLES = ["off", "selected", "all"];

function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ground", "wall", "grid", "ink", "paper", "muted", "agent", "other", "on-agent", "on-other", "shield", "heal"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Fits the canvas to its box at the screen's resolution; returns the scale and the place of map points.
function fitField(canvas, bounds) {
  const [x0, x1, y0, y1] = bounds;
  const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
  const scale = width / (x1 - x0), height = Math.round(scale * (y1 - y0));
  canvas.style.aspectRatio = `${x1 - x0} / ${y1 - y0}`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const brush = canvas.getContext("2d");
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { brush, scale, width, height, px: (x) => (x - x0) * scale, py: (y) => (y1 - y) * scale };
}

// The part of the map to show, at the whole map's proportions: all of it, or what is around the selected agent.
function seen({ bounds, x, y }, { zoom, selected, time }) {
  const [x0, x1, y0, y1] = bounds, wide = Math.min(14, x1 - x0);
  if (!zoom) return bounds;
  const high = (wide * (y1 - y0)) / (x1 - x0);
  const low = (at, size, from, to) => Math.min(Math.max(at - size / 2, from), to - size);
  const left = low(between(x[selected], time), wide, x0, x1), bottom = low(between(y[selected], time), high, y0, y1);
  return [left, left + wide, bottom, bottom + high];
}

function drawField(canvas, page, episode, view) {
  const place = fitField(canvas, seen(episode, view)), colours = palette();
  drawGround(place, colours, page.terrain);
  const units = episode.units.map((unit, slot) => ({
    ...unit, slot,
    ours: slot < page.agents,
    x: place.px(between(episode.x[slot], view.time)),
    y: place.py(between(episode.y[slot], view.time)),
    r: Math.max(unit.radius * place.scale, 4),
    now: between(episode.health[slot], view.time),
    lives: episode.health[slot][Math.floor(view.time)] > 0,
  }));
  for (const unit of units) if (!unit.lives) drawGone(place.brush, colours, unit);
  if (page.sight) for (const unit of units) drawCircles(place, colours, page, unit, view);
  for (const unit of units) if (unit.lives) drawTarget(place, colours, episode, units, unit, view.time);
  // large ones, which fly over the others, stay below
  const bySize = [...units].sort((a, b) => b.r - a.r || b.slot - a.slot);
  for (const unit of bySize) if (unit.lives) drawUnit(place, colours, episode, unit, view);
  if (page.fight) for (const unit of units) if (unit.lives) drawBars(place, colours, episode, unit, view.time);
}

function drawGround({ brush, width, height, px, py, scale }, colours, terrain) {
  brush.fillStyle = colours.wall;
  brush.fillRect(0, 0, width, height);
  const fill = (inside) => terrain.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) if (row[x] === ".") inside(Math.round(px(x)), Math.round(py(y + 1)), x, y);
  });
  brush.fillStyle = colours.ground;
  fill((left, top, x, y) => brush.fillRect(left, top, Math.round(px(x + 1)) - left, Math.round(py(y)) - top));
  if (scale < 8) return;
  brush.fillStyle = colours.grid;
  fill((left, top, x, y) => {
    brush.fillRect(left, top, Math.round(px(x + 1)) - left, 1);
    brush.fillRect(left, top, 1, Math.round(py(y)) - top);
  });
}

function drawGone(brush, colours, { x, y, r, ours }) {
  brush.save();
  brush.globalAlpha = 0.55;
  brush.strokeStyle = ours ? colours.agent : colours.other;
  brush.lineWidth = 2;
  const arm = Math.min(r, 8) * 0.7;
  brush.beginPath();
  brush.moveTo(x - arm, y - arm); brush.lineTo(x + arm, y + arm);
  brush.moveTo(x - arm, y + arm); brush.lineTo(x + arm, y - arm);
  brush.stroke();
  brush.restore();
}

function drawCircles({ brush, scale }, colours, page, unit, view) {
  const wanted = view.circles === "all" || (view.circles === "selected" && unit.slot === view.selected);
  if (!wanted || !unit.ours || !unit.lives) return;
  const faint = view.circles === "all" && unit.slot !== view.selected;
  brush.save();
  brush.strokeStyle = colours.agent;
  for (const [radius, dash, alpha] of [[page.sight, [2, 4], 0.06], [page.shoot, [7, 4], 0]]) {
    brush.beginPath();
    brush.arc(unit.x, unit.y, radius * scale, 0, 2 * Math.PI);
    brush.globalAlpha = faint ? 0 : alpha;
    brush.fillStyle = colours.agent;
    brush.fill();
    brush.globalAlpha = faint ? 0.3 : 0.9;
    brush.setLineDash(dash);
    brush.lineWidth = 1.5;
    brush.stroke();
  }
  brush.restore();
}

// From a unit to whom it attacks: whole where its weapon reaches, broken where it is on its way, green where it heals.
function drawTarget({ brush }, colours, episode, units, unit, time) {
  const entry = Math.floor(time);
  const target = entry < episode.steps ? episode.target[unit.slot][entry] : -1;
  if (target < 0 || target === unit.slot) return;
  const other = units[target], far = Math.hypot(other.x - unit.x, other.y - unit.y);
  if (far < 1) return;
  const [ux, uy] = [(other.x - unit.x) / far, (other.y - unit.y) / far];
  const near = reaches(episode, unit.slot, target, time);
  brush.save();
  brush.strokeStyle = brush.fillStyle = unit.heals ? colours.heal : unit.ours ? colours.agent : colours.other;
  brush.lineWidth = near ? 2 : 1.25;
  brush.globalAlpha = near ? 0.9 : 0.55;
  brush.setLineDash(near ? [] : [5, 4]);
  const [endX, endY] = [other.x - ux * (other.r + 2), other.y - uy * (other.r + 2)];
  brush.beginPath();
  brush.moveTo(unit.x, unit.y);
  brush.lineTo(endX, endY);
  brush.stroke();
  brush.setLineDash([]);
  brush.beginPath();
  brush.moveTo(endX, endY);
  brush.lineTo(endX - ux * 7 - uy * 3.5, endY - uy * 7 + ux * 3.5);
  brush.lineTo(endX - ux * 7 + uy * 3.5, endY - uy * 7 - ux * 3.5);
  brush.fill();
  brush.restore();
}

// Agents are discs, the others squares: colour is not all that tells them apart.
function outline(brush, { x, y, ours }, r) {
  brush.beginPath();
  if (ours) brush.arc(x, y, r, 0, 2 * Math.PI);
  else brush.roundRect(x - r * 0.92, y - r * 0.92, r * 1.84, r * 1.84, r * 0.25);
}

function drawUnit({ brush }, colours, episode, unit, view) {
  const entry = Math.floor(view.time), { x, y, r, slot } = unit;
  brush.save();
  outline(brush, unit, r);
  brush.fillStyle = unit.ours ? colours.agent : colours.other;
  brush.fill();
  brush.lineWidth = 1;
  brush.strokeStyle = colours.paper;
  brush.stroke();
  if (slot === view.selected) {
    outline(brush, unit, r + 3);
    brush.lineWidth = 2.5;
    brush.strokeStyle = colours.ink;
    brush.stroke();
  }
  const hurt = entry > 0 ? episode.health[slot][entry - 1] + episode.shield[slot][entry - 1]
    - episode.health[slot][entry] - episode.shield[slot][entry] : 0;
  if (hurt > 0.5) {
    outline(brush, unit, r + 5 + 4 * (view.time - entry));
    brush.globalAlpha = 0.8 * (1 - (view.time - entry));
    brush.lineWidth = 2;
    brush.strokeStyle = colours.other;
    brush.stroke();
    brush.globalAlpha = 1;
  }
  const wait = unit.period ? between(episode.cooldown[slot], view.time) / unit.period : 0;
  if (wait > 0.02) {
    brush.beginPath();
    brush.arc(x, y, Math.max(r - 3, 2), -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(wait, 1));
    brush.lineWidth = 2;
    brush.strokeStyle = unit.ours ? colours["on-agent"] : colours["on-other"];
    brush.globalAlpha = 0.75;
    brush.stroke();
    brush.globalAlpha = 1;
  }
  const size = Math.min(Math.max(r * 1.1, 9), 17);
  brush.font = `700 ${size}px system-ui, sans-serif`;
  brush.textAlign = "center";
  brush.textBaseline = "middle";
  brush.fillStyle = unit.ours ? colours["on-agent"] : colours["on-other"];
  brush.fillText(unit.mark, x, y + size * 0.06);
  brush.restore();
}

function drawBars({ brush, width }, colours, episode, unit, time) {
  const wide = Math.max(unit.r * 2, 12), high = unit.r < 8 ? 3 : 4;
  const left = Math.min(Math.max(unit.x - wide / 2, 1), width - wide - 1);
  let top = Math.max(unit.y - unit.r - 9, 1);
  const bar = (share, colour) => {
    brush.fillStyle = colours.ink;
    brush.fillRect(left - 1, top - 1, wide + 2, high + 2);
    brush.fillStyle = colours.paper;
    brush.fillRect(left, top, wide, high);
    brush.fillStyle = colour;
    brush.fillRect(left, top, wide * Math.min(Math.max(share, 0), 1), high);
    top -= high + 1;
  };
  bar(unit.now / unit.health, unit.ours ? colours.agent : colours.other);
  if (unit.shield) bar(between(episode.shield[unit.slot], time) / unit.shield, colours.shield);
}
