"use strict";
// Memory at a step: variables with their cells, nodes from left to right, pointers as arrows.
//
// A node stands right of what points at it at some time, and keeps its place in all steps: its column is the longest way
// to it along the pointers that were ever there, each pair of nodes in the direction that was there first. What does not
// fit beside what comes before goes on in the next row.

const CHAR = 7.3, CELL = 20;

/** What a place looks like: its size, and how it is drawn; `arrows` gets where pointers leave and to which node. */
function block(cell, was, room) {
  if (cell.parts?.length > 0) {
    return /^(T?\d+)$/.test(cell.parts[0].name) ? row(cell, was, room) : table(cell, was, room);
  }
  const pointer = cell.refers.length > 0, text = shorten(cell.value, Math.max(Math.floor((room - 12) / CHAR), 4));
  const w = Math.max(24, text.length * CHAR + 12 + (pointer ? 12 : 0)), changed = was && was.value !== cell.value;
  const picture = (x, y, svg, arrows, wide = w) => {
    svg.append(draw("rect", { class: `cell${changed ? " changed" : ""}${cell.past ? " past" : ""}`, x, y, width: wide, height: CELL },
      draw("title", {}, `${cell.name} = ${cell.value}${changed ? `, was ${was.value}` : ""}${cell.past ? " (not used any more)" : ""}`)));
    svg.append(draw("text", { x: x + 6, y: y + 14, class: `${changed ? "changed-text" : ""}${cell.past ? " faint" : ""}` }, text));
    if (pointer) svg.append(draw("circle", { class: "dot", cx: x + wide - 7, cy: y + 10, r: 2.6 }));
    for (const target of cell.refers) arrows.push([x + wide - 7, y + 10, target]);
  };
  return { w, h: CELL, picture };
}

/** An array: its elements side by side with their numbers above, in several lines if there is no room for one. */
function row(cell, was, room) {
  const parts = cell.parts.map((p, i) => block(p, was?.parts?.[i], room));
  const lines = [[]];
  let w = 0, at = 0;
  for (const [i, part] of parts.entries()) {
    if (at > 0 && at + part.w > room) {
      lines.push([]);
      at = 0;
    }
    lines.at(-1).push(i);
    at += part.w;
    w = Math.max(w, at);
  }
  const tall = line => Math.max(...line.map(i => parts[i].h)) + 14;
  const picture = (x, y, svg, arrows) => {
    for (const line of lines) {
      let left = x;
      for (const i of line) {
        svg.append(draw("text", { class: "faint index", x: left + parts[i].w / 2, y: y + 10, "text-anchor": "middle" }, cell.parts[i].name));
        parts[i].picture(left, y + 14, svg, arrows);
        left += parts[i].w;
      }
      y += tall(line);
    }
  };
  return { w, h: lines.reduce((sum, line) => sum + tall(line), 0), picture };
}

/** A structure: its fields one below the other. */
function table(cell, was, room) {
  const names = Math.max(...cell.parts.map(p => p.name.length)) * CHAR + 10;
  const parts = cell.parts.map((p, i) => block(p, was?.parts?.[i], room - names));
  const wide = Math.max(...parts.map(p => p.w)), w = names + wide, h = parts.reduce((sum, p) => sum + p.h, 0);
  const picture = (x, y, svg, arrows) => {
    svg.append(draw("rect", { class: "cell", x, y, width: w, height: h }));
    for (const [i, part] of parts.entries()) {
      svg.append(draw("text", { class: "faint", x: x + 5, y: y + 14 + (part.h > CELL ? 14 : 0) }, cell.parts[i].name));
      part.picture(x + names, y, svg, arrows, wide);
      y += part.h;
    }
  };
  return { w, h, picture };
}

/** A node: what it is called, its fields, and below it which local variables refer to it. */
function nodeBlock(node, was, held, room) {
  const fields = node.fields.length > 0
    ? table({ parts: node.fields }, was && { parts: was.fields }, room - 16) : { w: 0, h: 0, picture: () => {} };
  const title = `${node.name} ${node.record}${node.freed ? ", free" : ""}`;
  const w = Math.max(fields.w + 16, title.length * CHAR + 16), h = fields.h + 30;
  const changed = view.step > 0 && (!was || was.freed !== node.freed);
  const picture = (x, y, svg, arrows) => {
    svg.append(draw("rect", { class: `box${node.freed ? " freed" : ""}${changed ? " changed" : ""}`, x, y, width: w, height: h, rx: 5 }));
    svg.append(draw("text", { x: x + 8, y: y + 16, style: "font-weight:700" }, node.name,
      draw("tspan", { class: "faint", style: "font-weight:400" }, title.slice(node.name.length))));
    fields.picture(x + 8, y + 23, svg, arrows);
    for (const [i, [thread, text]] of held.entries()) {
      svg.append(draw("text", { x: x + 2, y: y + h + 13 + i * 14, style: `fill:${color(thread)}` }, text));
    }
  };
  return { w, h, picture };
}

/** The local variables that refer to a node: thread and text. */
function holders(frame, name) {
  return frame.locals.flatMap((locals, i) => locals
    .filter(cell => !cell.past && cell.refers.includes(name)).map(cell => [i + 1, `T${i + 1}.${cell.name}`]));
}

/** The column of every node. */
function columns(witness) {
  const { nodes, frames } = witness, after = new Map(nodes.map(n => [n, []]));
  const leads = (a, b) => a === b || after.get(a).some(next => leads(next, b));
  for (const frame of frames) {
    for (const node of frame.nodes) {
      for (const field of node.fields) for (const target of field.refers) {
        if (after.has(target) && !after.get(node.name).includes(target) && !leads(target, node.name)) after.get(node.name).push(target);
      }
    }
  }
  const column = new Map(nodes.map(n => [n, 0]));
  for (const _ of nodes) for (const n of nodes) for (const next of after.get(n)) {
    column.set(next, Math.max(column.get(next), column.get(n) + 1));
  }
  return column;
}

/** Where everything is in all steps, for a panel of some width. */
function memoryPlan(witness, width) {
  const { frames, nodes } = witness;
  const names = Math.max(0, ...frames[0].variables.map(v => v.name.length)) * CHAR + 12;
  const room = Math.max(width - names - 8, 120);
  const size = (of, list) => list.reduce(([w, h], cell) => {
    const b = of(cell);
    return [Math.max(w, b.w), Math.max(h, b.h)];
  }, [0, 0]);
  const variables = frames[0].variables.map((_, i) => size(c => block(c, null, room), frames.map(f => f.variables[i])));
  const rootsWide = names + Math.max(0, ...variables.map(([w]) => w));
  const rootsTall = variables.reduce((sum, [, h]) => sum + h + 8, 0);
  const column = columns(witness), byColumn = [];
  for (const n of nodes) (byColumn[column.get(n)] ??= []).push(n);
  const sizes = new Map(nodes.map(n => {
    const seen = frames.filter(f => f.nodes.some(m => m.name === n));
    const held = Math.max(0, ...seen.map(f => holders(f, n).length));
    const [w, h] = size(m => nodeBlock(m, null, [], width - 24), seen.map(f => f.nodes.find(m => m.name === n)));
    return [n, [w, h + held * 14]];
  }));
  // Beside the variables if at least two nodes fit there, else below them.
  const widest = Math.max(0, ...[...sizes.values()].map(([w]) => w));
  const beside = nodes.length > 0 && rootsWide + 44 + Math.min(byColumn.length, 2) * (widest + 40) <= width;
  const left = beside ? rootsWide + 44 : 8, gap = 38;
  let x = left, y = beside ? (byColumn.length > 1 ? 40 : 8) : rootsTall + 30, tall = 0, right = rootsWide;
  const places = new Map();
  for (const list of byColumn.filter(Boolean)) {
    const wide = Math.max(...list.map(n => sizes.get(n)[0]));
    if (x > left && x + wide > width) [x, y, tall] = [left, y + tall + 30, 0];
    let down = y;
    for (const n of list) {
      places.set(n, [x, down]);
      down += sizes.get(n)[1] + 22;
    }
    tall = Math.max(tall, down - y - 22);
    right = Math.max(right, x + wide);
    x += wide + gap;
  }
  const height = Math.max(rootsTall + 4, nodes.length > 0 ? y + tall + 24 : 0);
  return { names, room, variables, places, sizes, width: Math.max(right + 8, 60), height };
}

let plan = null;

function drawMemory() {
  const witness = current().witness, { frames } = witness;
  const frame = frames[view.step], before = frames[Math.max(view.step - 1, 0)];
  const width = Math.max(parts.memory.clientWidth || 420, 240);
  if (plan?.witness !== witness || plan.panel !== width) plan = { witness, panel: width, ...memoryPlan(witness, width) };
  const { names, room, variables, places, height } = plan;
  const svg = draw("svg", {
    width: plan.width, height, viewBox: `0 0 ${plan.width} ${height}`, role: "img", "aria-label": `Memory after step ${view.step}`,
  });
  svg.append(draw("defs", {}, ["ink", "freed"].map(arrowHead)));
  const arrows = [];
  let y = 4;
  for (const [i, v] of frame.variables.entries()) {
    const b = block(v, view.step > 0 ? before.variables[i] : null, room);
    svg.append(draw("text", { x: 2, y: y + 14 + (b.h > CELL && /^(T?\d+)$/.test(v.parts?.[0]?.name ?? "") ? 14 : 0), style: "font-weight:600" }, v.name));
    b.picture(names, y, svg, arrows);
    y += variables[i][1] + 8;
  }
  const drawn = new Map();
  for (const node of frame.nodes) {
    if (!places.has(node.name)) continue;
    const b = nodeBlock(node, before.nodes.find(n => n.name === node.name), holders(frame, node.name), width - 24);
    const [nx, ny] = places.get(node.name);
    drawn.set(node.name, { x: nx, y: ny, w: b.w, h: b.h, freed: node.freed });
    b.picture(nx, ny, svg, arrows);
  }
  svg.append(...arrows.filter(([, , target]) => drawn.has(target)).map(([ax, ay, target]) => arrow(ax, ay, drawn.get(target))));
  const locals = frame.locals.flatMap((cells, i) => cells.length === 0 ? [] : [make("p", { class: "locals mono" },
    make("b", { style: `color:${color(i + 1)}` }, `T${i + 1}`), cells.map(c => localCell(c, before.locals[i])))]);
  parts.memory.replaceChildren(svg, ...locals);
}

function localCell(cell, before) {
  const was = before?.find(c => c.name === cell.name);
  const changed = view.step > 0 && !cell.past && was?.value !== cell.value;
  return make("span", { class: `local${cell.past ? " past" : ""}${changed ? " changed" : ""}`, title: cell.past ? "not used any more" : null },
    `${cell.name} = ${cell.value}`);
}

const arrowHead = kind => draw("marker", {
  id: "arrow-" + kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse",
}, draw("path", { d: "M0,0 L8,4 L0,8 z", style: `fill:var(--${kind})` }));

/** A pointer: to what is right of it into the side, else over or under what is between. */
function arrow(x, y, to) {
  const near = to.x > x && to.x - x < 130;
  let d;
  if (near) {
    const ty = Math.min(Math.max(y, to.y + 8), to.y + to.h - 8), bend = Math.max((to.x - x) / 2, 14);
    d = `M${x},${y} C${x + bend},${y} ${to.x - bend},${ty} ${to.x},${ty}`;
  } else if (to.y > y + 24) {
    const tx = to.x + Math.min(30, to.w / 2);
    d = `M${x},${y} C${x + 36},${y + 6} ${tx},${to.y - 36} ${tx},${to.y}`;
  } else if (to.x > x) {
    const tx = to.x + Math.min(30, to.w / 2);
    const over = Math.max(Math.min(y, to.y) - 44, -34);
    d = `M${x},${y} C${x + 46},${over} ${tx},${Math.max(to.y - 44, -34)} ${tx},${to.y}`;
  } else {
    const tx = to.x + to.w / 2, ty = to.y + to.h;
    d = `M${x},${y} C${x + 40},${Math.max(y, ty) + 34} ${tx},${ty + 40} ${tx},${ty}`;
  }
  return draw("path", { class: `edge${to.freed ? " dangling" : ""}`, d, "marker-end": `url(#arrow-${to.freed ? "freed" : "ink"})` });
}
