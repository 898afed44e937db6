"use strict";
// The history: a lane per thread, a bar per operation, a point per step, and an order through the bars.

/** Where the lanes are drawn. */
const lanes = () => parts.lanes ?? parts.diagram;

/** Everything about the drawing that depends on its width. */
function space(witness, width) {
  const top = loops(witness) ? 40 : 24, lane = 46, threads = witness.threads.length;
  const margin = (witness.waits ?? []).length > 0 ? 150 : 24;
  const x = step => 12 + (width - 12 - margin) * (steps() === 0 ? 0.5 : step / steps());
  return { top, lane, threads, margin, width, x, y: thread => top + (thread - 0.5) * lane, height: top + threads * lane + 8 };
}

function drawDiagram() {
  const witness = current().witness, names = laneNames(witness);
  const room = (lanes().clientWidth || 900) - names.width.baseVal.value;
  const svg = drawLanes(witness, Math.max(room, 110 + steps() * 22));
  lanes().replaceChildren(make("div", { class: "lanes" }, names, svg));
  const box = lanes(), at = svg.space.x(view.step);
  if (at < box.scrollLeft + 20 || at > box.scrollLeft + room - 20) box.scrollLeft = at - room / 2;
  box.onscroll = () => placeLabels(svg, box.scrollLeft, box.scrollLeft + room);
  box.onscroll();
}

/** Who the lanes belong to; stays when the rest is scrolled. */
function laneNames(witness) {
  const { height, y, threads } = space(witness, 100);
  const roles = witness.threads.map(role => (role === "thread" ? "" : role));
  const narrow = (lanes().clientWidth || 900) < 500;
  const width = 34 + Math.min(Math.max(...roles.map(r => r.length)), narrow ? 6 : 16) * CHAR;
  const svg = draw("svg", { class: "names", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Threads" });
  for (let t = 1; t <= threads; t++) {
    svg.append(draw("text", { x: 4, y: y(t) + 4, style: `fill:${color(t)};font-weight:700` }, named(t)));
    if (roles[t - 1]) {
      svg.append(draw("text", { x: 28, y: y(t) + 4, class: "faint" }, shorten(roles[t - 1], narrow ? 6 : 16), draw("title", {}, roles[t - 1])));
    }
  }
  return svg;
}

function drawLanes(witness, width) {
  const at = space(witness, width), { x, y, top, lane, threads, height } = at;
  const svg = draw("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `History of ${threads} threads with ${witness.operations.length} operations`,
  });
  svg.space = at;
  svg.append(draw("defs", {}, ["ink", "bad"].map(arrowHead)));
  if (loops(witness)) svg.append(...drawLoop(witness, at));
  for (let t = 1; t <= threads; t++) svg.append(draw("line", { class: "lane", x1: 0, x2: width - 8, y1: y(t), y2: y(t) }));
  const wrong = witness.steps.find(s => s.bad);
  for (const [i, o] of witness.operations.entries()) {
    const from = x(o.from), to = o.to === null ? width - at.margin + 12 : x(o.to);
    const failing = i === witness.failing || (wrong && wrong.thread === o.thread && o.to === null);
    const group = draw("g", { onmouseenter: () => hover(i), onmouseleave: () => hover(null) });
    group.append(draw("rect", {
      class: `bar${o.to === null ? " pending" : ""}${failing ? " failing" : ""}`,
      x: from - 6, y: y(o.thread) - 17, width: Math.max(to - from + 12, 12), height: 34, rx: 6,
      style: `fill:${color(o.thread)};stroke:${failing ? "var(--bad)" : color(o.thread)}`,
    }, draw("title", {}, describe(o))));
    const text = draw("text", { class: `label${failing ? " failing" : ""}`, y: y(o.thread) - 4 });
    text.place = { from, to, failing, y: y(o.thread) };
    text.whole = o.result === null || o.result === "()" ? o.call : `${o.call} → ${o.result}`;
    group.append(text);
    svg.append(group);
  }
  for (const s of witness.steps) {
    const step = s.index + 1, [cx, cy] = [x(step), y(Math.max(s.thread, 1)) + 9];
    svg.append(draw("circle", {
      class: "step", cx, cy, r: step === view.step || s.bad ? 5.5 : 3.5,
      style: `fill:${s.bad ? "var(--bad)" : color(s.thread)}`, onclick: () => go(step),
    }, draw("title", {}, `${step}: ${s.text}`)));
    if (s.bad) svg.append(draw("path", { class: "cross fault", d: `M${cx - 7},${cy - 7} l14,14 m0,-14 l-14,14` }, draw("title", {}, s.text)));
  }
  svg.append(...drawOrder(witness, x, y), ...drawWaits(witness, at));
  svg.append(draw("line", { class: "cursor", x1: x(view.step), x2: x(view.step), y1: top - 14, y2: top + threads * lane }));
  svg.append(draw("text", { x: x(view.step) - 4, y: top - 12, class: "faint", "text-anchor": "end" }, String(view.step)));
  return svg;
}

/** Puts the label of every bar where it can be seen. What cannot be explained is never cut off: without room in its bar it is above it. */
function placeLabels(svg, left, right) {
  for (const text of svg.querySelectorAll("text.label")) {
    const { from, to, failing, y } = text.place;
    const start = Math.max(from, left + 4), end = Math.min(to + 4, right - 4), room = Math.floor((end - start) / CHAR);
    const above = failing && text.whole.length > room && to >= left && from <= right;
    text.textContent = above ? text.whole : room < 2 ? "" : shorten(text.whole, room);
    const wide = text.whole.length * CHAR;
    text.setAttribute("x", above ? Math.max(Math.min(start, right - wide - 4), left + 2) : start);
    text.setAttribute("y", above ? y - 20 : y - 4);
  }
}

/** The part that is repeated, and the way back from its end to its beginning. */
function drawLoop(witness, { x, top, threads, lane }) {
  // From between the steps on, so that the first step of the loop is inside.
  const from = x(Math.max(witness.repeats + 0.5, 0)), to = x(steps()) + 16, middle = (from + to) / 2;
  const shapes = [
    draw("rect", { class: "loop", x: from, y: top - 2, width: Math.max(to - from, 16), height: threads * lane + 4, rx: 6 },
      draw("title", {}, "This part can be repeated for ever")),
    draw("path", { class: "edge back", d: `M${to - 6},${top - 3} C${to - 6},${top - 26} ${from + 6},${top - 26} ${from + 6},${top - 4}`, "marker-end": "url(#arrow-ink)" }),
  ];
  const wide = to - from > 180;
  shapes.push(draw("text", { class: "loop-text", x: wide ? middle : from - 6, y: wide ? top - 24 : top - 18, "text-anchor": wide ? "middle" : "end" }, "↻ again and again"));
  return shapes;
}

/** Who waits for whom: an arrow from every thread that waits to the one that holds the lock. */
function drawWaits(witness, { x, y, width, margin }) {
  return (witness.waits ?? []).flatMap(({ thread, lock, holder }, i) => {
    const from = width - margin + 22, bend = from + 44 + i * 26;
    const [y1, y2] = thread === holder ? [y(thread) - 8, y(thread) + 10] : [y(thread) - 5 * Math.sign(thread - holder), y(holder) + 5 * Math.sign(thread - holder)];
    return [
      draw("path", { class: "edge waits", d: `M${from},${y1} C${bend},${y1} ${bend},${y2} ${from},${y2}`, "marker-end": "url(#arrow-bad)" },
        draw("title", {}, `T${thread} waits for ${lock}, which T${holder} holds`)),
      draw("text", { class: "waits-text", x: from + (bend - from) * 0.75 + 5, y: (y1 + y2) / 2 + 4 }, shorten(lock, 8), draw("title", {}, lock)),
    ];
  });
}

/** Buttons for the longest orders, one of which is drawn through the bars. */
function fillOrders(witness) {
  const attempts = witness.attempts ?? [];
  const show = i => { view.order = i; fillOrders(witness); drawDiagram(); };
  const button = (i, text) => make("button", { type: "button", "aria-pressed": i === view.order, onclick: () => show(i) }, text);
  const name = attempts[0]?.stuck.length === 0 ? "Order" : "Longest order";
  parts.orders.replaceChildren(...(attempts.length === 0 ? [] : [
    ...attempts.map((_, i) => button(i, attempts.length === 1 ? name : `${name} ${i + 1}`)), button(-1, "No order")]));
}

/** The order through the bars; where it cannot go on, in red to the operation that stands in the way. A click shows the next one. */
function drawOrder(witness, x, y) {
  const attempt = witness.attempts?.[view.order];
  if (!attempt) return [];
  const { operations } = witness, { steps: placed, initial } = attempt.order;
  const stuck = attempt.stuck.find(([i]) => i === witness.failing) ?? attempt.stuck.find(([, why]) => !why.startsWith("must come after"));
  const end = i => operations[i].to ?? steps() + 0.5;
  const points = throughBars(placed.map(p => p.operation), i => operations[i].from, end, stuck ? end(stuck[0]) : attempt.until ?? steps());
  const at = ([i, place]) => [x(place), y(operations[i].thread) + 2];
  const next = () => { view.order = (view.order + 1) % witness.attempts.length; fillOrders(witness); drawDiagram(); };
  const clicks = witness.attempts.length > 1 ? { onclick: next, style: "cursor:pointer" } : {};
  const shapes = [draw("polyline", { class: "through", points: points.map(p => at(p).join()).join(" "), ...clicks })];
  if (stuck) {
    const [fx, fy] = [x(end(stuck[0])) - 3, y(operations[stuck[0]].thread) + 2], last = points.at(-1);
    if (last) shapes.push(draw("line", { class: "stuck", x1: at(last)[0], y1: at(last)[1], x2: fx, y2: fy, ...clicks }));
    const state = placed.at(-1)?.state ?? initial;
    shapes.push(draw("path", { class: "stuck cross", d: `M${fx - 5},${fy - 5} l10,10 m0,-10 l-10,10` },
      draw("title", {}, `${describe(operations[stuck[0]])}: ${stuck[1]}${state ? ` (${state})` : ""}`)));
  }
  for (const [k, p] of points.entries()) {
    const before = k === 0 ? initial : placed[k - 1].state;
    shapes.push(draw("circle", { class: "point", cx: at(p)[0], cy: at(p)[1], r: 4.5, ...clicks },
      draw("title", {}, `${k + 1}. ${describe(operations[p[0]])}: ${before || "(no state)"} becomes ${placed[k].state || "(no state)"}`)));
  }
  return shapes;
}

const describe = o => `T${o.thread}: ${o.call}` + (o.result === null ? " (has not returned)" : o.result === "()" ? "" : ` → ${o.result}`);

/** How every operation lies to the one under the pointer. */
function related(witness, hovered) {
  if (hovered === null) return null;
  const self = witness.operations[hovered];
  return witness.operations.map((o, i) => {
    if (i === hovered) return "self";
    if (o.end !== null && o.end < self.begin) return "before it";
    if (self.end !== null && self.end < o.begin) return "after it";
    return "either way";
  });
}

/** Says under every operation whether it must come before or after the one under the pointer. */
function hover(operation) {
  const relation = related(current().witness, operation);
  for (const [i, group] of [...lanes().querySelectorAll("svg > g")].entries()) {
    group.querySelectorAll(".relation").forEach(e => e.remove());
    if (relation && i !== operation) {
      const bar = group.querySelector("rect");
      const [x, y] = ["x", "y"].map(name => Number(bar.getAttribute(name)));
      group.append(draw("text", { class: "faint relation", x: x + 6, y: y + 45 }, relation[i]));
    }
  }
}

/** On paper a long history goes on in further rows. */
function drawOnPaper() {
  const witness = current().witness;
  if (!witness || (witness.trace && !parts.lanes)) return;
  const names = laneNames(witness), room = 680 - names.width.baseVal.value;
  const width = Math.max(room, 110 + steps() * 22), rows = Math.ceil(width / room);
  lanes().replaceChildren(...Array.from({ length: rows }, (_, k) => {
    const svg = drawLanes(witness, Math.max(width, room * rows)), { height } = svg.space;
    svg.setAttribute("viewBox", `${k * room} 0 ${room} ${height}`);
    svg.setAttribute("width", room);
    placeLabels(svg, k * room, (k + 1) * room);
    return make("div", { class: "lanes" }, names.cloneNode(true), svg);
  }));
}
