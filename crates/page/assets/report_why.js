"use strict";
// Why something is wrong: orders, distances, ways to go on, what a specification allows, and the trace of a process.

/** How many sentences of a reason are said at once, above everything else. */
const leading = witness => ((witness.continuations ?? []).length > 0 ? 1 : 4);

/** What there is to say beyond the first sentences; nothing if that was all. */
function reason(witness) {
  const lines = (witness.continuations ?? []).length > 0 ? [] : witness.because.slice(leading(witness));
  const box = make("div", {}, lines.map(line => make("p", {}, phrase(line))));
  if (witness.refused) box.append(...refusal(witness.refused));
  if (witness.stretched) box.append(...stretch(witness));
  if ((witness.continuations ?? []).length > 0) box.append(...tree(witness));
  for (const [i, attempt] of (witness.attempts ?? []).entries()) box.append(orderList(witness, attempt, i));
  return box.childElementCount > 0 ? box : null;
}

function orderList(witness, attempt, i) {
  const explains = attempt.stuck.length === 0;
  const title = explains ? "An order that explains the history"
    : i === 0 ? "The longest order that works, and why it cannot go on" : "Another order, just as long";
  const placed = attempt.order.steps.map(step => make("li", {},
    label(witness, step.operation), step.result === "()" ? "" : ` → ${step.result}`,
    " ", make("span", { class: "quiet" }, step.state)));
  const stuck = attempt.stuck.map(([operation, why]) => make("li", {},
    label(witness, operation), " ", make("span", { class: "bad" }, why)));
  return make("details", i === 0 ? { open: "" } : {},
    make("summary", {}, title),
    make("p", { class: "quiet" }, "at first ", make("code", {}, attempt.order.initial || "(no state)")),
    make("ol", { class: "order mono" }, placed),
    explains ? [] : [make("p", {}, "Next would have to be one of"), make("ul", { class: "order mono" }, stuck)]);
}

function label(witness, index) {
  const o = witness.operations[index];
  return make("span", { style: `color:${color(o.thread)}` }, `T${o.thread}: ${o.call}`);
}

// ---------------------------------------------------------------- what a specification allows

/** What was done or refused at the end of the trace, and what the specification offers there. */
function refusal({ event, allowed, offered, accepted, divergence }) {
  const list = (events, kind) => (events.length === 0 ? [make("span", { class: "quiet" }, "nothing")]
    : events.flatMap((e, i) => [i ? " " : "", make("code", { class: `event ${kind}` }, e)]));
  const row = (who, ...what) => make("tr", {}, make("th", { scope: "row" }, who), make("td", {}, what.flat(Infinity)));
  const rows = divergence
    ? [row("the process", "goes on silently for ever"), row("the specification", "comes to rest")]
    : event !== undefined
      ? [row("the process does", list([event], "refused")), row("the specification allows", list(allowed, "allowed"))]
      : [row("the process offers", list(offered, "refused")),
        row("the specification offers", accepted.length === 0 ? make("span", { class: "quiet" }, "anything: it never comes to rest")
          : accepted.map((set, i) => [i ? make("span", { class: "quiet" }, " or ") : "", list(set, "allowed")]).flat(2))];
  return [make("h3", {}, "At the end of the trace"), make("table", { class: "plain refusal" }, make("tbody", {}, rows))];
}

// ---------------------------------------------------------------- distances

/** When operations take effect, and their places in an order that the specification allows. What is too far apart is red. */
function stretch(witness) {
  const { group, factor, needed, places } = witness.stretched, { operations } = witness;
  const name = i => describe(operations[i]), line = 24, top = 26;
  const effects = places.toSorted((a, b) => a.effect - b.effect);
  const wide = Math.min(Math.max(...places.map(p => name(p.operation).length), 12), 26) * CHAR;
  const right = wide + 120, width = right + wide + 150, height = top + places.length * line + 6;
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Distances between effects and places" });
  svg.append(draw("text", { class: "faint", x: 0, y: 12 }, "take effect"), draw("text", { class: "faint", x: right, y: 12 }, "have their places"));
  for (const [k, p] of places.entries()) {
    const from = effects.indexOf(p), far = p.distance > p.factor;
    const style = `fill:${color(operations[p.operation].thread)}`, title = () => draw("title", {}, `${name(p.operation)}; ${p.state || "(no state)"}`);
    const [y1, y2] = [top + (from + 0.5) * line, top + (k + 0.5) * line];
    svg.append(
      draw("text", { x: 0, y: y1 + 4, style }, shorten(name(p.operation), 26), title()),
      draw("line", { class: far ? "far" : "near", x1: wide + 8, y1, x2: right - 8, y2 }),
      draw("text", { x: right, y: y2 + 4, style }, shorten(name(p.operation), 26), title()),
      draw("text", { class: far ? "waits-text" : "faint", x: right + wide + 12, y: y2 + 4 },
        p.distance === 0 ? "in its place" : `${p.distance} away${far ? `, at most ${p.factor}` : ""}`));
  }
  return [
    make("h3", {}, "An order that would need a larger factor"),
    make("p", {}, "For ", make("code", {}, group), ` the factor is ${factor}; this order needs ${needed}.`),
    make("div", { class: "scroll fits", tabindex: 0, role: "group", "aria-label": "Distances" }, svg)];
}

// ---------------------------------------------------------------- ways to go on

/** The ways to go on as a tree: what they have in common is there once. */
function tree(witness) {
  const root = { children: [], leaf: null };
  const same = (a, b) => a.thread === b.thread && a.text === b.text && a.effect === b.effect && a.step === b.step;
  for (const [i, way] of witness.continuations.entries()) {
    let at = root;
    for (const entry of way.entries) {
      let next = at.children.find(c => same(c.entry, entry));
      if (!next) at.children.push(next = { entry, children: [], leaf: null });
      at = next;
    }
    at.leaf = { number: i + 1, orders: way.leaves };
  }
  const step = ({ entry }) => make("li", {},
    make("span", { style: `color:${color(entry.thread)};font-weight:700` }, named(entry.thread)),
    " ", entry.text, entry.effect ? make("span", { class: "quiet" }, ` ${entry.effect}`) : "");
  const branch = node => {
    const chain = [node];
    while (chain.at(-1).children.length === 1 && !chain.at(-1).leaf) chain.push(chain.at(-1).children[0]);
    const last = chain.at(-1);
    return make("li", { class: "branch" }, make("ol", { class: "mono chain" }, chain.map(step)),
      last.leaf ? leaf(last.leaf) : [], last.children.length > 0 ? make("ul", { class: "branches" }, last.children.map(branch)) : []);
  };
  const leaf = ({ number, orders }) => make("div", { class: "leaf" },
    make("b", {}, `Way ${number}`), orders.length === 0 ? " leaves no order." : " is possible only after",
    make("ul", { class: "mono" }, orders.map(o => make("li", {}, o.length > 0 ? o.join(", ") : "nothing"))));
  return [
    make("h3", {}, "Ways to go on"),
    make("p", { class: "quiet" }, "Whatever order is decided on, one of these ways refutes it."),
    make("div", { class: "tree" }, make("div", { class: "root" }, "What the history above shows"),
      root.leaf ? leaf(root.leaf) : [], make("ul", { class: "branches" }, root.children.map(branch)))];
}

// ---------------------------------------------------------------- the trace of a process

/** `init -> a -> (b -> c)*`, as PAT writes it; every event leads to its step. */
function fillTrace(witness) {
  const event = (text, step, bad) => make("button", {
    type: "button", "data-step": step, class: bad ? "bad" : null, onclick: () => go(step), title: step ? `step ${step}` : "before the first step",
  }, text);
  const words = witness.steps.map((s, i) => make("span", { class: "word" },
    make("span", { class: "quiet" }, "-> "), i === witness.repeats ? "(" : "", event(s.event, s.index + 1, s.bad),
    loops(witness) && i === witness.steps.length - 1 ? ")* ↻" : ""));
  const from = loops(witness) ? witness.repeats : words.length;
  const spaced = list => list.flatMap(word => [" ", word]);
  parts.trace = make("p", { class: "trace mono", tabindex: 0, role: "group", "aria-label": "Trace" },
    event("init", 0), spaced(words.slice(0, from)),
    from < words.length ? [" ", make("span", { class: "loop", title: "This part can be repeated for ever" }, spaced(words.slice(from)))] : []);
  parts.diagram.replaceChildren(parts.trace, ...(loops(witness) ? ring(witness) : []));
}

/** A loop as a loop: along the top and back along the bottom. */
function ring(witness) {
  const round = witness.steps.slice(witness.repeats), count = round.length;
  if (count > 24) return [];
  const most = Math.max(parts.diagram.clientWidth || 800, 260) - 80, half = Math.ceil(count / 2);
  const longest = Math.max(...round.map(s => s.event.length));
  const wide = Math.min(longest * CHAR + 18, Math.max(Math.floor(most / half) - 26, 40)), pitch = wide + 26;
  const width = 60 + half * pitch + 10, height = count > 1 ? 104 : 76;
  const svg = draw("svg", { class: "ring", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `A loop of ${count} steps` });
  svg.append(draw("defs", {}, arrowHead("ink")));
  const place = i => (i < half ? [56 + i * pitch, 14] : [56 + (count - 1 - i) * pitch, 70]);
  const line = d => svg.append(draw("path", { class: "edge", d, "marker-end": "url(#arrow-ink)" }));
  line(`M6,26 L${54},26`);
  svg.append(draw("text", { class: "faint", x: 4, y: 18 }, witness.repeats > 0 ? `${witness.repeats} →` : "init"));
  for (let i = 0; i < count; i++) {
    const [x, y] = place(i), [nx, ny] = place((i + 1) % count);
    if (count === 1) line(`M${x + wide},${y + 12} C${x + wide + 34},${y + 62} ${x - 30},${y + 62} ${x + wide / 2 - 8},${y + 25}`);
    else if (y === ny) line(nx > x ? `M${x + wide},${y + 12} L${nx - 2},${y + 12}` : `M${x},${y + 12} L${nx + wide + 2},${y + 12}`);
    else if (ny > y) line(`M${x + wide / 2},${y + 24} L${nx + wide / 2},${ny - 2}`);
    else line(`M${x + wide / 2},${y} L${nx + wide / 2},${ny + 26}`);
  }
  for (const [i, s] of round.entries()) {
    const [x, y] = place(i), step = s.index + 1;
    svg.append(draw("rect", { class: "box step", x, y, width: wide, height: 24, rx: 12, "data-step": step, onclick: () => go(step) },
      draw("title", {}, `step ${step}: ${s.event}`)));
    svg.append(draw("text", { x: x + wide / 2, y: y + 16, "text-anchor": "middle", "pointer-events": "none" }, shorten(s.event, Math.floor((wide - 10) / CHAR))));
  }
  return [make("div", { class: "scroll fits" }, svg)];
}

function markTrace() {
  let shown = null;
  for (const button of parts.trace.querySelectorAll("button")) {
    const here = Number(button.dataset.step) === view.step;
    button.setAttribute("aria-current", here);
    if (here) shown = button;
  }
  for (const box of parts.diagram.querySelectorAll("rect[data-step]")) box.classList.toggle("changed", Number(box.dataset.step) === view.step);
  if (shown) showIn(parts.trace, shown);
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
    ? make("table", { class: "plain variables mono" }, make("tbody", {}, rows))
    : make("p", { class: "quiet" }, "The model has no variables and no channels with buffers."));
}
