"use strict";
// Draws the report from the data in the page. Text of the model goes into the page as text, never as
// markup. Nothing is loaded.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children (texts or elements). */
function make(name, attributes = {}, ...children) {
  return build(document.createElement(name), attributes, children);
}
function draw(name, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, name), attributes, children);
}
function build(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

const color = thread => (thread > 0 ? `var(--t${(thread - 1) % 8 + 1})` : "var(--faint)");
const named = thread => current().witness?.names?.[thread] ?? (thread > 0 ? `T${thread}` : "init");
/** Who does a step: a thread of an object, or some components of a process. */
function who(step) {
  const bold = (n, text) => make("span", { style: `color:${color(n)};font-weight:700` }, text);
  return step.by ? step.by.map((n, i) => [i ? " " : "", bold(n, `#${n}`)]).flat() : [bold(step.thread, named(step.thread))];
}
const shorten = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);

/**
 * Where an order goes through bars: `[operation, place]` for its operations, which keep real time. Every point lies inside
 * its bar and no further to the left than the one before: between the latest call so far and the earliest return to
 * come, and before `limit`.
 */
function throughBars(steps, from, to, limit) {
  const lowest = [], highest = [], middle = [], points = [];
  for (const i of steps) lowest.push(Math.max(lowest.at(-1) ?? 0, from(i)));
  for (let k = steps.length - 1; k >= 0; k--) {
    highest[k] = Math.min(highest[k + 1] ?? limit, to(steps[k]));
    // What may take effect at any later time is drawn near what comes before it.
    middle[k] = (lowest[k] + Math.min(highest[k], lowest[k] + 8)) / 2;
  }
  for (let k = 0; k < steps.length;) {
    let end = k + 1;
    while (end < steps.length && middle[end] === middle[k]) end++;
    // Points at the same place share the room between their neighbours.
    const left = Math.max(lowest[k], k > 0 ? (middle[k - 1] + middle[k]) / 2 : lowest[k]);
    const right = Math.min(highest[k], end < steps.length ? (middle[end] + middle[k]) / 2 : highest[k]);
    for (let j = k; j < end; j++) {
      points.push([steps[j], end === k + 1 ? middle[k] : left + (right - left) * (j - k + 1) / (end - k + 1)]);
    }
    k = end;
  }
  return points;
}

// What is shown: which check, which step, which of the longest orders (none: -1).
const view = { check: 0, step: 0, order: 0 };

function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const check = data.checks.findIndex(c => title(c) === address.get("check"));
  view.check = check < 0 ? Math.max(0, data.checks.findIndex(c => c.witness || c.log?.matter)) : check;
  const last = steps();
  const step = Number.parseInt(address.get("step") ?? "", 10);
  view.step = Number.isNaN(step) ? last : Math.min(Math.max(step, 0), last);
}
function writeAddress() {
  const where = current().log ? logAddress() : { step: view.step };
  const address = new URLSearchParams({ check: title(current()), ...where });
  history.replaceState(null, "", "#" + address);
}
/** The name of a check; with several files, also which. */
function title(check) {
  if (check.log) return check.name;
  const file = data.sources[check.source].file.split(/[\\/]/).pop().replace(/\.(lin|csp|mcrl2|rs)$/i, "");
  return data.sources.length > 1 ? `${file}: ${check.name}` : check.name;
}
const current = () => data.checks[view.check];
/** The file that is shown: that of the step, if an execution goes through several. */
const source = () => data.sources[current().witness?.steps[view.step - 1]?.source ?? current().source];
const steps = () => (current().witness ? current().witness.frames.length - 1 : 0);

/** One step on; where the execution repeats itself, from its end to the beginning of the loop. */
function forwards() {
  const { repeats } = current().witness;
  go(view.step === steps() && loops(current().witness) ? repeats + 1 : view.step + 1);
}
const loops = witness => witness.repeats !== null && witness.repeats !== undefined;

function go(step) {
  const to = Math.min(Math.max(step, 0), steps());
  if (to !== view.step) {
    view.step = to;
    writeAddress();
    showStep();
  }
}

// ---------------------------------------------------------------- the page

function showPage() {
  const check = current();
  document.title = `${title(check)}: ${check.verdict}`;
  page.replaceChildren();
  page.append(make("header", {},
    make("h1", {}, title(check), " ", make("span", { class: tone(check) }, check.headline)),
    make("p", { class: "quiet" }, check.bounds ? `${check.bounds} · ` : "", make("span", { class: "mono" }, source().file))));
  if (data.checks.length > 1) {
    page.append(make("nav", { class: "checks", "aria-label": "Checks" }, data.checks.map((c, i) =>
      make("button", {
        type: "button",
        "aria-current": i === view.check,
        onclick: () => { view.check = i; view.step = steps(); view.order = 0; writeAddress(); showPage(); },
      }, make("span", { class: tone(c) }, { holds: "✓ ", unknown: "? " }[c.verdict] ?? "✗ "), title(c)))));
  }
  if (check.log) showLog(check);
  else if (check.witness) showWitness(check);
  else showFigures(check);
  if (check.command) page.append(make("p", { class: "quiet", style: "margin-top:16px" },
    "See it again: ", make("code", {}, check.command)));
}

const tone = check => ({ holds: "good", unknown: "" }[check.verdict] ?? "bad");

/** What was decided, with the figures of the search. */
function decision(check) {
  const row = (name, value) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, String(value)));
  return make("section", { class: "panel" },
    make("h2", {}, "What was decided"),
    make("p", {}, check.sentence),
    check.witness ? [] : (check.because ?? []).map(line => make("p", {}, line)),
    make("table", { class: "plain" }, check.figures.map(([name, value]) => row(name, value))));
}

function showFigures(check) {
  page.append(decision(check));
  page.append(make("div", { class: check.operations ? "columns" : "decided" },
    check.operations ? make("section", { class: "panel" }, make("h2", {}, "Operations"),
      make("ul", {}, check.operations.map(o => make("li", {}, make("code", {}, o))))) : [],
    check.reductions.length > 0 ? make("section", { class: "panel" }, make("h2", {}, "Reductions used"),
      make("ul", {}, check.reductions.map(r => make("li", {}, make("b", {}, r.name), " ", r.what)))) : []));
}

let parts = {};

/** Is there anything to show of the memory? Of an execution of real code there is not. */
const remembers = witness => witness.trace
  || witness.frames.some(f => f.variables.length > 0 || f.nodes.length > 0 || f.locals.some(l => l.length > 0));

function showWitness(check) {
  const witness = check.witness;
  parts = {
    diagram: make("div", { class: "scroll" }),
    // Of a process with operations there is a history beside the trace.
    lanes: witness.trace && witness.operations ? make("div", { class: "scroll" }) : null,
    now: make("p", { class: "now", "aria-live": "polite" }),
    slider: make("input", {
      type: "range", min: 0, max: steps(), "aria-label": "Step",
      oninput: event => go(Number(event.target.value)),
    }),
    back: make("button", { type: "button", "aria-label": "One step back", onclick: () => go(view.step - 1) }, "‹ back"),
    next: make("button", { type: "button", "aria-label": "One step forwards", onclick: forwards }, "next ›"),
    count: make("span", { class: "quiet mono" }),
    source: make("div", { class: "source mono", tabindex: 0, "aria-label": "Source" }),
    file: make("span", { class: "mono file" }),
    memory: make("div", { class: "scroll" }),
    list: make("ol", { class: `steps mono fold${witness.trace ? " events" : ""}` }),
    all: make("button", { type: "button", "aria-pressed": false, onclick: toggleAll }, "all steps"),
    orders: make("div", { class: "orders", role: "group", "aria-label": "Order that is drawn" }),
  };
  page.append(
    ...(parts.lanes ? [make("section", { class: "panel" }, make("h2", {}, "History"), parts.lanes)] : []),
    make("section", { class: "panel" },
      make("h2", {}, witness.trace ? "Trace" : "History"),
      parts.orders,
      parts.diagram,
      make("div", { class: "controls" }, parts.back, parts.slider, parts.next, parts.count),
      parts.now),
    make("div", { class: remembers(witness) ? "columns" : "decided" },
      make("section", { class: "panel" }, make("h2", {}, witness.holds ? "What this shows" : "Why this is wrong"), reason(witness)),
      remembers(witness) ? make("section", { class: "panel" }, make("h2", {}, witness.trace ? "Variables" : "Memory"), parts.memory) : []),
    make("div", { class: "columns" },
      make("section", { class: "panel" }, make("h2", {}, "Source ", parts.file), parts.source),
      make("section", { class: "panel" }, make("h2", {}, witness.trace ? "Events" : "Schedule", folds(witness) ? [" ", parts.all] : []), parts.list)),
    make("div", { class: "decided" }, decision(check)));
  fillSource();
  fillOrders(witness);
  if (witness.trace) fillTrace(witness);
  fillSchedule(witness);
  showStep();
}

/** Buttons for the longest orders, one of which is drawn through the bars. */
function fillOrders(witness) {
  const attempts = witness.attempts ?? [];
  const button = (i, text) => make("button", {
    type: "button", "aria-pressed": i === view.order,
    onclick: () => { view.order = i; fillOrders(witness); drawDiagram(); },
  }, text);
  parts.orders.replaceChildren(...(attempts.length === 0 ? [] : [
    ...attempts.map((_, i) => button(i, attempts.length === 1 ? "Longest order" : `Longest order ${i + 1}`)), button(-1, "No order")]));
}

/** The order through the bars; where it cannot go on, in red to the operation that stands in the way. */
function drawOrder(witness, x, y) {
  const attempt = witness.attempts?.[view.order];
  if (!attempt) return [];
  const { operations } = witness, { steps: placed, initial } = attempt.order;
  const stuck = attempt.stuck.find(([i]) => i === witness.failing) ?? attempt.stuck.find(([, why]) => !why.startsWith("must come after"));
  const end = i => operations[i].to ?? steps() + 0.5;
  const points = throughBars(placed.map(p => p.operation), i => operations[i].from, end, stuck ? end(stuck[0]) : steps());
  const at = ([i, place]) => [x(place), y(operations[i].thread) + 2];
  const shapes = [draw("polyline", { class: "through", points: points.map(p => at(p).join()).join(" ") })];
  if (stuck) {
    const [fx, fy] = [x(end(stuck[0])) - 3, y(operations[stuck[0]].thread) + 2], last = points.at(-1);
    if (last) shapes.push(draw("line", { class: "stuck", x1: at(last)[0], y1: at(last)[1], x2: fx, y2: fy }));
    shapes.push(draw("path", { class: "stuck cross", d: `M${fx - 5},${fy - 5} l10,10 m0,-10 l-10,10` },
      draw("title", {}, `${describe(operations[stuck[0]])}: ${stuck[1]}`)));
  }
  for (const [k, p] of points.entries()) {
    const before = k === 0 ? initial : placed[k - 1].state;
    shapes.push(draw("circle", { class: "point", cx: at(p)[0], cy: at(p)[1], r: 4 },
      draw("title", {}, `${k + 1}. ${describe(operations[p[0]])}: ${before || "(no state)"} becomes ${placed[k].state || "(no state)"}`)));
  }
  return shapes;
}

// ---------------------------------------------------------------- why

function reason(witness) {
  const lines = witness.because.map((line, i) => make("p", i === 0 ? {} : { class: "quiet" }, line));
  const box = make("div", {}, lines);
  if (witness.size) box.append(make("p", { class: "quiet" }, witness.size));
  for (const [i, continued] of (witness.continuations ?? []).entries()) {
    const steps = continued.entries.map(entry => make("li", {},
      make("span", { style: `color:${color(entry.thread)};font-weight:700` }, named(entry.thread)),
      " ", entry.text, entry.effect ? ` · ${entry.effect}` : ""));
    const leaves = continued.leaves.map(order => make("li", {}, order.join(", ") || "nothing yet"));
    box.append(make("details", { class: "continuation", open: "" },
      make("summary", {}, `It can go on like this (${i + 1} of ${witness.continuations.length})`),
      make("ol", { class: "mono" }, steps),
      make("p", { class: "quiet" }, continued.leaves.length ? "Then only these orders of the history are possible:" : "Then no order of the history is possible."),
      make("ul", { class: "mono" }, leaves)));
  }
  for (const [i, attempt] of (witness.attempts ?? []).entries()) {
    const title = i === 0 ? "The longest order that works, and why it cannot go on" : "Another order, just as long";
    const placed = attempt.order.steps.map(step => make("li", {},
      label(witness, step.operation), step.result === "()" ? "" : ` → ${step.result}`,
      " ", make("span", { class: "quiet" }, step.state)));
    const stuck = attempt.stuck.map(([operation, why]) => make("li", {},
      label(witness, operation), " ", make("span", { class: "bad" }, why)));
    box.append(make("details", i === 0 ? { open: "" } : {},
      make("summary", {}, title),
      make("p", { class: "quiet" }, "at first ", make("code", {}, attempt.order.initial || "(no state)")),
      make("ol", { class: "order mono" }, placed),
      make("p", {}, "Next would have to be one of"),
      make("ul", { class: "order mono" }, stuck)));
  }
  return box;
}

function label(witness, index) {
  const o = witness.operations[index];
  return make("span", { style: `color:${color(o.thread)}` }, `T${o.thread}: ${o.call}`);
}

// ---------------------------------------------------------------- the trace of a process

/** `init -> a -> (b -> c)*`, as PAT writes it; every event leads to its step. */
function fillTrace(witness) {
  const event = (text, step) => make("button", {
    type: "button", "data-step": step, onclick: () => go(step), title: step ? `step ${step}` : "before the first step",
  }, text);
  const words = witness.steps.map((s, i) => make("span", { class: "word" },
    make("span", { class: "quiet" }, "-> "), i === witness.repeats ? "(" : "", event(s.event, s.index + 1),
    loops(witness) && i === witness.steps.length - 1 ? ")* ↻" : ""));
  const from = loops(witness) ? witness.repeats : words.length;
  const spaced = list => list.flatMap(word => [" ", word]);
  parts.trace = make("p", { class: "trace mono", tabindex: 0, "aria-label": "Trace" },
    event("init", 0), spaced(words.slice(0, from)),
    from < words.length ? [" ", make("span", { class: "loop", title: "This part can be repeated for ever" }, spaced(words.slice(from)))] : []);
  parts.diagram.replaceChildren(parts.trace);
}

function markTrace() {
  let shown = null;
  for (const button of parts.trace.querySelectorAll("button")) {
    const here = Number(button.dataset.step) === view.step;
    button.setAttribute("aria-current", here);
    if (here) shown = button;
  }
  if (shown) {
    const box = parts.trace, at = shown.offsetTop;
    if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - 24) box.scrollTop = at - box.clientHeight / 2;
  }
}

/** The variables after a step; what the step changed is marked. */
function fillVariables() {
  const { frames } = current().witness;
  const was = frames[Math.max(view.step - 1, 0)].variables;
  const rows = frames[view.step].variables.map((v, i) => {
    const changed = was[i].value !== v.value;
    return make("tr", changed ? { class: "changed" } : {},
      make("th", { scope: "row" }, v.name), make("td", {}, v.value),
      make("td", { class: "quiet" }, changed ? `was ${was[i].value}` : ""));
  });
  parts.memory.replaceChildren(rows.length > 0
    ? make("table", { class: "plain variables mono" }, rows)
    : make("p", { class: "quiet" }, "The model has no variables and no channels with buffers."));
}

// ---------------------------------------------------------------- the space-time diagram

/** Where the lanes are drawn. */
const lanes = () => parts.lanes ?? parts.diagram;

function drawDiagram() {
  const witness = current().witness;
  const threads = witness.threads.length;
  const width = Math.max(lanes().clientWidth || 900, 160 + steps() * 22);
  const left = 70, lane = 46, top = 20;
  const x = step => left + (width - left - 24) * (steps() === 0 ? 0.5 : step / steps());
  const y = thread => top + (thread - 0.5) * lane;
  const height = top + threads * lane + 8;
  const svg = draw("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `History of ${threads} threads with ${witness.operations.length} operations`,
  });
  if (loops(witness)) {
    // From between the steps on, so that the first step of the loop is inside.
    const from = x(Math.max(witness.repeats + 0.5, 0)), to = x(steps()) + 16;
    svg.append(draw("rect", { class: "loop", x: from, y: 16, width: Math.max(to - from, 16), height: threads * lane + 4, rx: 6 },
      draw("title", {}, "This part can be repeated for ever")));
    svg.append(draw("text", { class: "loop-text", x: from + 4, y: 12 }, "↻ again and again"));
  }
  for (let t = 1; t <= threads; t++) {
    svg.append(draw("line", { class: "lane", x1: left - 10, x2: width - 8, y1: y(t), y2: y(t) }));
    svg.append(draw("text", { x: 4, y: y(t) + 4, style: `fill:${color(t)};font-weight:700` }, named(t)));
    const role = witness.threads[t - 1];
    if (role !== "thread") svg.append(draw("text", { x: 26, y: y(t) + 4, class: "faint" }, shorten(role, 6)));
  }
  for (const [i, o] of witness.operations.entries()) {
    const from = x(o.from), to = o.to === null ? width - 12 : x(o.to);
    const failing = i === witness.failing;
    const group = draw("g", {
      onmouseenter: () => hover(i), onmouseleave: () => hover(null),
    });
    group.append(draw("rect", {
      class: `bar${o.to === null ? " pending" : ""}${failing ? " failing" : ""}`,
      x: from - 6, y: y(o.thread) - 17, width: Math.max(to - from + 12, 12), height: 34, rx: 6,
      style: `fill:${color(o.thread)};stroke:${failing ? "var(--bad)" : color(o.thread)}`,
    }, draw("title", {}, describe(o))));
    const room = Math.max(Math.floor((to - from + 6) / 7.3), 3);
    const text = o.result === null || o.result === "()" ? o.call : `${o.call} → ${o.result}`;
    // What cannot be explained is never cut off: if it has no room in its bar it is above it.
    const above = failing && text.length > room;
    group.append(draw("text", {
      x: above ? to + 6 : from, y: y(o.thread) - (above ? 20 : 4), "text-anchor": above ? "end" : null,
      style: failing ? "fill:var(--bad);font-weight:700" : null,
    }, above ? text : shorten(text, room)));
    svg.append(group);
  }
  for (const s of witness.steps) {
    const at = s.index + 1;
    svg.append(draw("circle", {
      class: "step", cx: x(at), cy: y(Math.max(s.thread, 1)) + 9, r: at === view.step ? 5.5 : 3.5,
      style: `fill:${color(s.thread)}`, onclick: () => go(at),
    }, draw("title", {}, `${at}: ${s.text}`)));
  }
  svg.append(...drawOrder(witness, x, y));
  svg.append(draw("line", { class: "cursor", x1: x(view.step), x2: x(view.step), y1: 6, y2: top + threads * lane }));
  svg.append(draw("text", { x: x(view.step) - 3, y: 12, class: "faint", "text-anchor": "end" }, String(view.step)));
  lanes().replaceChildren(svg);
  const box = lanes(), at = x(view.step);
  if (at < box.scrollLeft + left || at > box.scrollLeft + box.clientWidth - 20) box.scrollLeft = at - box.clientWidth / 2;
}

const describe = o => `T${o.thread}: ${o.call}` + (o.result === null ? " (has not returned)" : ` → ${o.result}`);

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

// ---------------------------------------------------------------- memory

function drawMemory() {
  const { frames } = current().witness;
  const frame = frames[view.step], before = frames[Math.max(view.step - 1, 0)];
  const values = cells => new Map((cells ?? []).map(c => [c.name, c.value]));
  const nodeOf = (f, name) => f.nodes.find(n => n.name === name);
  const box = make("div", {});
  const names = current().witness.nodes;
  const rows = Math.max(frame.variables.length, 1);
  const holders = new Map();
  for (const [i, locals] of frame.locals.entries()) {
    for (const cell of locals) for (const node of cell.refers) {
      holders.set(node, [...(holders.get(node) ?? []), [i + 1, `T${i + 1}.${cell.name}`]]);
    }
  }
  // Variables on the left; every node keeps its place in all steps.
  const was = values(before.variables);
  const wide = 150, gap = 46, left = 190;
  const perRow = 3;
  const tall = Math.max(...frames.flatMap(f => f.nodes.map(n => n.fields.length)), 1) * 16 + 46;
  const place = name => {
    const k = names.indexOf(name);
    return { x: left + (k % perRow) * (wide + gap), y: 30 + Math.floor(k / perRow) * (tall + 28) };
  };
  const height = Math.max(rows * 20 + 16, names.length === 0 ? 0 : 30 + Math.ceil(names.length / perRow) * (tall + 28));
  const width = names.length === 0 ? 420 : left + Math.min(names.length, perRow) * (wide + gap);
  const svg = draw("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Memory after step " + view.step,
  });
  svg.append(draw("defs", {}, ["ink", "freed"].map(kind => draw("marker", {
    id: "arrow-" + kind, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse",
  }, draw("path", { d: "M0,0 L8,4 L0,8 z", style: `fill:var(--${kind})` })))));
  const edges = [];
  const arrow = (x, y, target) => {
    const node = nodeOf(frame, target);
    if (!node || names.indexOf(target) < 0) return;
    const to = place(target);
    // To the next column straight, further on over the nodes in between, back below them.
    const near = to.x > x && to.x - x < wide + gap;
    const far = to.x > x && !near;
    const [tx, ty] = near ? [to.x, to.y + 14] : [to.x + wide / 2, far ? to.y : to.y + tall - 18];
    const bend = Math.max(Math.abs(tx - x) / 2, 24);
    const path = near
      ? `M${x},${y} C${x + bend},${y} ${tx - bend},${ty} ${tx},${ty}`
      : far
        ? `M${x},${y} C${x + 40},${to.y - 24} ${tx - 30},${to.y - 34} ${tx},${ty}`
        : `M${x},${y} C${x + 40},${y + 50} ${tx},${ty + 50} ${tx},${ty}`;
    edges.push(draw("path", {
      class: `edge${node.freed ? " dangling" : ""}`, d: path,
      "marker-end": `url(#arrow-${node.freed ? "freed" : "ink"})`,
    }));
  };
  for (const [i, v] of frame.variables.entries()) {
    const y = 24 + i * 20;
    const changed = view.step > 0 && was.get(v.name) !== v.value;
    const text = shorten(`${v.name} = ${v.value}`, 22);
    svg.append(draw("text", { x: 4, y, class: changed ? "changed-text" : "" }, text,
      draw("title", {}, `${v.name} = ${v.value}`)));
    if (v.refers.length === 1) arrow(10 + text.length * 7.3, y - 4, v.refers[0]);
  }
  for (const name of names) {
    const node = nodeOf(frame, name);
    if (!node) continue;
    const { x, y } = place(name);
    const old = nodeOf(before, name);
    const fields = values(old && old.fields);
    const changed = view.step > 0 && (!old || old.freed !== node.freed);
    svg.append(draw("rect", {
      class: `box${node.freed ? " freed" : ""}${changed ? " changed" : ""}`, x, y, width: wide, height: tall - 18, rx: 5,
    }));
    svg.append(draw("text", { x: x + 8, y: y + 16, style: "font-weight:700" }, name,
      draw("tspan", { class: "faint", style: "font-weight:400" }, ` ${shorten(node.record, 12)}${node.freed ? ", free" : ""}`)));
    for (const [i, f] of node.fields.entries()) {
      const fy = y + 34 + i * 16;
      const differs = view.step > 0 && fields.get(f.name) !== f.value;
      svg.append(draw("text", { x: x + 8, y: fy, class: differs ? "changed-text" : "" }, shorten(`${f.name} = ${f.value}`, 18)));
      for (const target of f.refers) arrow(x + wide - 4, fy - 4, target);
    }
    const held = holders.get(name) ?? [];
    svg.append(draw("text", { x: x + 2, y: y + tall - 5 }, held.map(([thread, text], i) =>
      draw("tspan", { style: `fill:${color(thread)}` }, (i ? " " : "") + text))));
  }
  svg.append(...edges);
  box.append(svg);
  const plain = frame.locals.flatMap((locals, i) => locals
    .filter(c => c.refers.length === 0)
    .map(c => make("span", { style: `color:${color(i + 1)};margin-right:12px` }, `T${i + 1}.${c.name} = ${c.value}`)));
  if (plain.length > 0) box.append(make("p", { class: "mono" }, plain));
  parts.memory.replaceChildren(box);
}

// ---------------------------------------------------------------- source and schedule

function fillSource() {
  parts.shown = source();
  // Of a single file the head of the page says which it is.
  parts.file.textContent = current().witness.steps.some(s => (s.source ?? current().source) !== current().source) ? source().file : "";
  const rows = source().text.split("\n").map((line, i) => make("tr", { id: `line-${i + 1}` },
    make("td", { class: "n" }, String(i + 1)), make("td", { class: "who" }), make("td", {}, line || " ")));
  parts.source.replaceChildren(make("table", { role: "presentation" }, make("tbody", {}, rows)));
}

function markSource() {
  const witness = current().witness;
  if (parts.shown !== source()) fillSource();
  const lines = witness.frames[view.step].lines ?? [];
  for (const row of parts.source.querySelectorAll("tr")) {
    row.classList.remove("here");
    row.children[1].replaceChildren();
    const mark = row.querySelector("mark");
    if (mark) row.children[2].replaceChildren(row.children[2].textContent);
  }
  for (const [i, line] of lines.entries()) {
    const row = line && document.getElementById(`line-${line}`);
    if (row) row.children[1].append(make("span", { class: "tag", style: `background:${color(i + 1)}` }, named(i + 1)));
  }
  const step = witness.steps[view.step - 1];
  markPlaces(step?.places ?? []);
  const row = step && document.getElementById(`line-${step.line}`);
  if (row) {
    row.classList.add("here");
    const box = parts.source;
    const at = row.offsetTop;
    if (at < box.scrollTop + 20 || at > box.scrollTop + box.clientHeight - 40) box.scrollTop = at - box.clientHeight / 2;
    const mark = row.querySelector("mark");
    if (mark) {
      const left = mark.getBoundingClientRect().left - box.getBoundingClientRect().left + box.scrollLeft;
      const right = left + mark.offsetWidth;
      if (right < box.clientWidth) box.scrollLeft = 0;
      else if (left < box.scrollLeft || right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth * 0.75;
    }
  }
}

/** Marks passages of the source within their lines. */
function markPlaces(places) {
  const byLine = Map.groupBy ? Map.groupBy(places, p => p.line) : new Map(places.map(p => [p.line, places.filter(q => q.line === p.line)]));
  for (const [line, passages] of byLine) {
    const row = document.getElementById(`line-${line}`);
    if (!row) continue;
    row.classList.add("here");
    const cell = row.children[2], text = [...cell.textContent], pieces = [];
    let at = 0;
    for (const { column, length } of passages.toSorted((p, q) => p.column - q.column)) {
      const [from, to] = [column - 1, column - 1 + length];
      if (from < at || length === 0) continue;
      pieces.push(text.slice(at, from).join(""), make("mark", {}, text.slice(from, to).join("")));
      at = to;
    }
    cell.replaceChildren(...pieces, text.slice(at).join(""));
  }
}

function fillSchedule(witness) {
  if (witness.trace) {
    const widest = (of, most) => Math.min(Math.max(0, ...witness.entries.map(of)), most);
    parts.list.style.setProperty("--who", `${widest(e => e.by.map(n => `#${n}`).join(" ").length, 11)}ch`);
    parts.list.style.setProperty("--at", `${widest(e => e.at.length, 14)}ch`);
  }
  const first = loops(witness) ? witness.entries.findIndex(entry => entry.step >= witness.repeats) : -1;
  parts.list.replaceChildren(...witness.entries.flatMap((entry, i) => {
    const turn = i === first ? [make("li", { class: "turn" }, "↻ from here on again and again:")] : [];
    return [...turn, make("li", entry.alone ? { class: "alone" } : {}, make("button", {
      type: "button", "data-step": entry.step + 1, onclick: () => go(entry.step + 1),
      title: `line ${entry.line}: ${entry.text}${entry.effect ? `: ${entry.effect}` : ""}`,
    },
      make("span", {}, who(entry)),
      make("span", { class: "quiet what" }, entry.at ?? String(entry.line)),
      make("span", { class: "what" }, entry.text),
      make("span", { class: "what" + (entry.bad ? " bad" : "") }, entry.effect)))];
  }));
}

// Steps that no other thread takes notice of are hidden until they are wanted or current.
function folds(witness) {
  return witness.entries.some(entry => entry.alone);
}

function toggleAll() {
  const all = !parts.list.classList.toggle("fold");
  parts.all.setAttribute("aria-pressed", all);
}

function markSchedule() {
  let shown = null;
  for (const button of parts.list.querySelectorAll("button")) {
    const here = Number(button.dataset.step) === view.step;
    button.setAttribute("aria-current", here);
    if (here) shown = button;
  }
  if (shown) {
    const box = parts.list, at = shown.offsetTop - box.offsetTop;
    if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - 24) box.scrollTop = at - box.clientHeight / 2;
  }
}

function showStep() {
  const witness = current().witness;
  const step = witness.steps[view.step - 1];
  parts.slider.value = view.step;
  parts.slider.setAttribute("aria-valuetext", step ? `step ${view.step}: ${step.text}` : "before the first step");
  parts.back.disabled = view.step === 0;
  const turns = loops(witness) && view.step === steps();
  parts.next.disabled = view.step === steps() && !turns;
  parts.next.textContent = turns ? "↻ again" : "next ›";
  parts.count.textContent = `${view.step} / ${steps()}`;
  const then = turns ? make("span", { class: "quiet" }, ` · then again from step ${witness.repeats + 1} on, for ever`) : null;
  const effect = step?.by && step.effect ? make("span", { class: "mono" }, ` · ${step.effect}`) : null;
  parts.now.replaceChildren(...(step
    ? [...who(step), " ", make("span", { class: "mono" }, step.text), effect, then].filter(part => part !== null)
    : [make("span", { class: "quiet" }, "Before the first step")]));
  if (witness.trace) {
    markTrace();
    fillVariables();
    if (parts.lanes) drawDiagram();
  } else {
    drawDiagram();
    if (remembers(witness)) drawMemory();
  }
  markSource();
  markSchedule();
}

document.addEventListener("keydown", event => {
  if (!current().witness || event.altKey || event.ctrlKey || event.metaKey) return;
  const typing = event.target instanceof HTMLInputElement;
  const to = { ArrowLeft: view.step - 1, Home: 0, End: steps() }[event.key];
  if (typing) return;
  if (event.key === "ArrowRight") {
    event.preventDefault();
    forwards();
  } else if (to !== undefined) {
    event.preventDefault();
    go(to);
  }
});
addEventListener("hashchange", () => { readAddress(); showPage(); });
addEventListener("resize", () => current().witness && (!current().witness.trace || parts.lanes) && drawDiagram());
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));

readAddress();
showPage();
