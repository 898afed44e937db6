"use strict";
// The page of a recorded history: what is shown of it, how one moves in it, and the orders beside it.

/** What is looked at. `view` is the part that is drawn, in units of the layout; `top` is how far lanes are moved up. */
let scene = null;
let pane = {};

/** Most steps of an order that are listed beside the picture, and most names in a list to choose from. */
const LISTED = 200, CHOICES = 300;

/** For the address of the page, so that a link shows the same. */
function logAddress() {
  if (!scene || scene.check !== current()) return {};
  const address = { view: scene.whole ? "whole" : "part", order: scene.order ? scene.orders.indexOf(scene.order) : "none" };
  if (scene.focus !== null) address.op = scene.focus;
  return address;
}

function showLog(check) {
  const data = new LogData(check.log);
  const address = new URLSearchParams(location.hash.slice(1));
  const mine = address.get("check") === title(check);
  scene = {
    check, data, whole: data.matter === null || (mine && address.get("view") === "whole"),
    key: null, process: null, found: new Set(), hits: [], focus: null, hover: null, orders: check.log.orders,
    order: null, points: [], view: { from: 0, to: 1, top: 0 }, layout: null,
  };
  const canvas = make("canvas", { class: "picture", tabindex: 0, role: "application", "aria-describedby": "log-keys" });
  const strip = make("canvas", { class: "map", "aria-hidden": true });
  pane = {
    canvas, strip,
    place: make("div", { class: "place" }, canvas),
    tip: make("div", { class: "tip mono", hidden: "" }),
    now: make("p", { class: "now mono", "aria-live": "polite" }),
    count: make("p", { class: "quiet count" }),
    hits: make("span", { class: "quiet", "aria-live": "polite" }),
    orders: make("div", { class: "buttons orders", role: "group", "aria-label": "Order that is drawn" }),
    list: make("div", { class: "attempts" }),
    views: make("div", { class: "buttons", role: "group", "aria-label": "Operations that are shown" }),
  };
  pane.place.append(pane.tip);
  page.append(
    make("section", { class: "panel log" },
      make("h2", {}, "History"),
      make("div", { class: "tools" }, pane.views, choosers(check.log), searchBox(), zoomButtons()),
      pane.orders, pane.place, strip, pane.count, pane.now,
      make("p", { class: "quiet keys", id: "log-keys" },
        "Wheel or + − to zoom, drag or ← → to move, n p for the next and previous operation" +
        `${scene.orders.length > 0 ? " of the order, o for another order" : ""}, 0 for everything${data.log.failing === null ? "" : ", v for the violation"}, / to search.`)),
    paper(data),
    make("div", { class: "columns reasons" },
      make("section", { class: "panel" }, make("h2", {}, data.matter ? "Why this is wrong" : "The order"),
        check.log.because.map((line, i) => make("p", i === 0 ? { class: "because" } : {}, line)), pane.list),
      decision({ ...check, because: [] })));
  listenToPicture();
  pane.picture = null;
  layOut();
  scene.focus = data.log.failing;
  if (mine && address.has("op")) scene.focus = Math.min(Math.max(Number.parseInt(address.get("op"), 10) || 0, 0), data.count - 1);
  if (data.count === 0) scene.focus = null;
  const wanted = mine ? address.get("order") : null;
  chooseOrder(wanted === "none" ? null : scene.orders[wanted] ?? usualOrder());
  if (check.verdict === "unknown") scene.focus ??= scene.points.at(-1)?.[0] ?? null;
  goToViolation();
  new ResizeObserver(() => { fitPlace(); paintLog(); }).observe(pane.place);
}

// ---------------------------------------------------------------- what is shown

/** The order that is drawn unless another is chosen. */
function usualOrder() {
  const usable = scene.orders.filter(o => scene.whole || !o.whole);
  return (scene.whole ? usable.find(o => o.whole) : null) ?? usable[0] ?? null;
}

/** Lays out what is wanted now. */
function layOut() {
  scene.layout = logLayout(scene.data, scene);
  scene.points = scene.order ? orderPoints(scene.data, scene.layout, scene.order) : [];
  pane.picture ??= new LogPicture(pane.canvas, scene);
  pane.map ??= null;
  if (!pane.map || pane.map.canvas !== pane.strip) pane.map = new LogMap(pane.strip, scene);
  fitPlace();
  const { layout, data } = scene, total = data.log.total, shown = layout.shown.length;
  const count = n => n.toLocaleString("en").replaceAll(",", "\u202f");
  const things = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
  pane.count.textContent = `${things(shown, "operation")} of ${things(layout.processes.length, "process").replace("processs", "processes")}`
    + (shown < total ? `; the log has ${count(total)}` : "")
    + (data.count < total ? `, of which this page has the ${count(data.count)} around what is shown` : "") + ".";
  pane.canvas.setAttribute("aria-label", `History: ${pane.count.textContent}`);
  showViews();
}

function showViews() {
  const { data, whole } = scene;
  const choice = (to, text) => make("button", { type: "button", "aria-pressed": whole === to, onclick: () => showWhole(to) }, text);
  pane.views.replaceChildren(...(data.matter === null ? [] : [
    choice(false, `What matters (${data.matter.size})`), choice(true, `Whole history (${data.log.total})`)]));
}

function showWhole(whole) {
  if (whole === scene.whole || scene.data.matter === null) return;
  scene.whole = whole;
  layOut();
  chooseOrder(usualOrder());
  goToViolation();
  writeAddress();
}

/** Only what has a key, or is of a process. */
function narrow(change) {
  Object.assign(scene, change);
  scene.view.top = 0;
  layOut();
  showAll();
  if (scene.focus !== null && scene.layout.lane[scene.focus] >= 0) reveal(scene.focus);
}

/** Shows an operation that may be hidden. */
function unhide(i) {
  if (i === null || scene.layout.lane[i] >= 0) return;
  if (scene.data.matter !== null && !scene.data.matter.has(i)) showWhole(true);
  if (scene.layout.lane[i] >= 0) return;
  for (const field of document.querySelectorAll(".chooser")) field.value = "";
  narrow({ key: null, process: null });
}

/** A list to choose from; where it would be too long, a field for the name. */
function chooser(label, names, change) {
  if (names.length < 2) return [];
  const all = `all ${label === "Key" ? "keys" : "processes"}`;
  if (names.length > CHOICES) {
    const field = make("input", { type: "search", class: "chooser", placeholder: all, "aria-label": label, onchange: () => {
      const found = names.indexOf(field.value.trim());
      field.setAttribute("aria-invalid", field.value.trim() !== "" && found < 0);
      if (field.value.trim() === "" || found >= 0) change(found < 0 ? null : found);
    } });
    return make("label", {}, `${label} `, field);
  }
  const sorted = [...names.entries()].sort(([, a], [, b]) => a.localeCompare(b, "en", { numeric: true }));
  const options = sorted.map(([i, name]) => make("option", { value: i }, shorten(name, 40)));
  const list = make("select", { class: "chooser", "aria-label": label, onchange: () => change(list.value === "" ? null : Number(list.value)) },
    make("option", { value: "" }, all), options);
  return make("label", {}, `${label} `, list);
}

function choosers(log) {
  return [chooser("Key", log.keys, key => narrow({ key })), chooser("Process", log.processes, process => narrow({ process }))].flat();
}

// ---------------------------------------------------------------- searching

function searchBox() {
  const field = make("input", { type: "search", class: "search", placeholder: "search", "aria-label": "Search operations",
    oninput: () => search(field.value),
    onkeydown: event => {
      if (event.key === "Enter") { event.preventDefault(); nextHit(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { field.value = ""; search(""); pane.canvas.focus(); }
    } });
  pane.search = field;
  return make("span", { class: "searching" }, field,
    make("button", { type: "button", "aria-label": "Previous match", onclick: () => nextHit(-1) }, "‹"),
    make("button", { type: "button", "aria-label": "Next match", onclick: () => nextHit(1) }, "›"), pane.hits);
}

function search(text) {
  scene.hits = scene.data.search(text);
  scene.found = new Set(scene.hits);
  pane.hits.textContent = text.trim() === "" ? "" : `${scene.hits.length} found`;
  paintLog();
}

/** The next operation that was found; if it is hidden, everything is shown. */
function nextHit(by) {
  const { hits, focus } = scene;
  if (hits.length === 0) return;
  const at = hits.indexOf(focus);
  const next = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
  unhide(hits[next]);
  pane.hits.textContent = `${next + 1} of ${hits.length}`;
  focusOn(hits[next]);
}

// ---------------------------------------------------------------- moving

function zoomButtons() {
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  return make("span", { class: "buttons" }, button("−", "Zoom out", () => zoom(1.6)), button("+", "Zoom in", () => zoom(1 / 1.6)),
    button("all", "Show all operations", showAll),
    scene.data.log.failing === null ? [] : button("violation", "Go to the violation", backToViolation));
}

const widest = () => scene.layout.span + scene.layout.tail;

/** Shows a part, as far as there is something. */
function show(from, to) {
  const wide = Math.min(Math.max(to - from, 2), widest());
  const start = Math.min(Math.max(from, -0.5), widest() - 0.5 - wide);
  Object.assign(scene.view, { from: start, to: start + wide });
  scene.view.top = Math.min(Math.max(scene.view.top, 0), pane.picture.hidden);
  paintLog();
}
function showAll() { show(-0.5, widest() - 0.5); }
function zoom(by, around = null) {
  const { from, to } = scene.view, middle = around ?? (from + to) / 2;
  show(middle - (middle - from) * by, middle + (to - middle) * by);
}
function pan(part) {
  const { from, to } = scene.view, by = (to - from) * part;
  show(from + by, to + by);
}

/** Moves the part that is shown so that an operation is in it. */
function reveal(i) {
  const { layout, view } = scene, { picture } = pane;
  if (layout.lane[i] < 0) return;
  const wide = view.to - view.from, end = layout.open(i) ? layout.from[i] + 2 : layout.to[i];
  const y = layout.lane[i] * picture.lane, room = picture.height - TOP - picture.lane;
  if (y < view.top || y > view.top + room) view.top = y - room / 2;
  let { from } = view;
  // Of a bar that is longer than what is shown, some of it will do.
  const fits = end - layout.from[i] <= wide;
  const seen = fits ? layout.from[i] >= from && end <= view.to : layout.from[i] <= view.to && end >= from;
  if (!seen) from = Math.min(end - wide * 0.7, layout.from[i] - wide * 0.1);
  show(from, from + wide);
}

/** The place at which to begin: where it goes wrong, or where the longest order ends, or the beginning. */
function goToViolation() {
  const { layout, data } = scene;
  // So many units that bars have room for their words.
  const room = Math.max(Math.round((pane.picture.width - pane.picture.gutter) / 26), 8);
  if (layout.span <= room * 1.4) showAll();
  else {
    const last = data.log.failing, end = scene.check.verdict === "unknown" ? scene.points.at(-1)?.[1] : null;
    const at = last === null || layout.lane[last] < 0 ? end ?? 0 : layout.open(last) ? layout.from[last] : layout.to[last];
    show(at - room * 0.75, at + room * 0.25);
  }
  if (scene.focus !== null) reveal(scene.focus);
  tell();
}

function backToViolation() {
  scene.focus = scene.data.log.failing;
  unhide(scene.focus);
  goToViolation();
}

function focusOn(i) {
  scene.focus = i;
  if (i !== null) reveal(i);
  paintLog();
  tell();
  writeAddress();
}

/** The next operation of the order, and at its end the one at which it fails; without an order, the next in time. */
function walk(by) {
  const { order, layout, data } = scene;
  const list = order
    ? [...scene.points.map(p => p[0]), ...(order.fails !== null && layout.lane[order.fails] >= 0 ? [order.fails] : [])]
    : layout.shown.toSorted((i, j) => data.log.begin[i] - data.log.begin[j]);
  if (list.length === 0) return;
  const at = list.indexOf(scene.focus);
  focusOn(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)]);
}

// ---------------------------------------------------------------- saying

/** All that is known of an operation, line by line. */
function sayings(i) {
  const { data, order } = scene, said = [data.words(i), `process ${data.process(i)}, line ${data.log.line[i]}`];
  if (data.log.key[i] !== null) said[1] += `, key ${data.log.keys[data.log.key[i]]}`;
  if (!scene.whole && data.cut.has(i)) said.push("had not returned yet where it goes wrong");
  if (order) {
    const at = order.steps.indexOf(i), stuck = order.stuck.find(s => s[0] === i);
    if (at >= 0) said.push(`number ${at + 1} of the order${order.states ? `, then ${data.log.texts[order.states[at]]}` : ""}`);
    else if (stuck) said.push(`not in the order: ${stuck[1]}`);
  }
  return said;
}

function tell() {
  const i = scene.focus;
  pane.now.replaceChildren(...(i === null ? [make("span", { class: "quiet" }, "Point at an operation, or press n.")]
    : sayings(i).flatMap((line, k) => [k ? make("br") : "", make("span", k ? { class: "quiet" } : {}, line)])));
}

function tip(i, x, y) {
  pane.tip.hidden = i === null;
  if (i === null) return;
  pane.tip.replaceChildren(...sayings(i).map((line, k) => make("div", k ? { class: "quiet" } : {}, line)));
  const wide = pane.tip.offsetWidth;
  pane.tip.style.left = `${Math.max(Math.min(x + 12, pane.place.clientWidth - wide - 4), 4)}px`;
  pane.tip.style.top = `${y + 18}px`;
}

// ---------------------------------------------------------------- orders

function orderName(order) {
  const { data, orders } = scene;
  if (order.whole) return data.matter ? "Everything before" : scene.check.verdict === "unknown" ? "Longest order found" : "Order";
  const parts = orders.filter(o => !o.whole);
  return parts.length === 1 ? "Longest order" : `Longest order ${parts.indexOf(order) + 1}`;
}

function chooseOrder(order) {
  scene.order = order;
  scene.points = order ? orderPoints(scene.data, scene.layout, order) : [];
  const usable = scene.orders.filter(o => scene.whole || !o.whole);
  const button = (o, text) => make("button", { type: "button", "aria-pressed": o === order, onclick: () => { chooseOrder(o); writeAddress(); } }, text);
  pane.orders.replaceChildren(...(usable.length === 0 ? []
    : [...usable.map(o => button(o, orderName(o))), button(null, "No order")]));
  listOrders();
  paintLog();
  tell();
}

/** The orders in words; every operation leads to its bar. */
function listOrders() {
  const { data, orders, order } = scene;
  const link = i => make("button", { type: "button", class: "link", onclick: () => focusOn(i) },
    make("span", { style: `color:${color(data.log.process[i] + 1)}` }, `${data.process(i)}: `), data.words(i));
  if (orders.length === 0) {
    const why = data.matter ? [] : scene.check.verdict === "holds" ? "It was decided without looking for an order." : "No order was found.";
    pane.list.replaceChildren(make("p", { class: "quiet" }, why));
    return;
  }
  pane.list.replaceChildren(...orders.filter(o => !data.matter || !o.whole || o === order).map(o => {
    const steps = o.steps.slice(0, LISTED).map((i, k) => make("li", {}, link(i),
      o.states ? make("span", { class: "quiet" }, ` ${data.log.texts[o.states[k]]}`) : ""));
    const stuck = o.stuck.map(([i, why]) => make("li", i === o.fails ? { class: "fails" } : {}, link(i), " ", make("span", { class: "bad" }, why)));
    return make("div", { class: `attempt${o === order ? " chosen" : ""}` },
      make("h3", {}, make("button", { type: "button", class: "link", onclick: () => { chooseOrder(o); writeAddress(); } }, orderName(o)),
        o.fails === null ? "" : make("span", { class: "quiet" }, ` fails at ${shorten(data.words(o.fails), 60)}`)),
      o.initial ? make("p", { class: "quiet" }, "at first ", make("code", {}, o.initial)) : "",
      make("ol", { class: "order mono" }, steps),
      o.steps.length > LISTED ? make("p", { class: "quiet" }, `… and ${o.steps.length - LISTED} more, in the picture`) : "",
      stuck.length > 0 ? [make("p", {}, "Next would have to be one of"), make("ul", { class: "order mono" }, stuck)] : "");
  }));
}

// ---------------------------------------------------------------- the picture and its events

function fitPlace() {
  const width = pane.place.clientWidth || 900;
  pane.picture.resize(width);
  pane.map.resize(width);
}

let asked = false;
/** Draws soon, and once, however often it is asked for. */
function paintLog() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(paintNow);
}
function paintNow() {
  asked = false;
  if (!scene || !pane.canvas.isConnected) return;
  pane.picture.paint();
  pane.map.paint();
}

function listenToPicture() {
  const { canvas, strip } = pane, view = scene.view;
  let drag = null;
  canvas.addEventListener("wheel", event => {
    const { picture } = pane, before = [view.from, view.to, view.top].join();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const [dx, dy] = (event.shiftKey ? [event.deltaY || event.deltaX, 0] : [event.deltaX, event.deltaY]).map(d => d * lines);
    if (event.offsetX < picture.gutter) { view.top += dy; show(view.from, view.to); }
    else if (Math.abs(dx) > Math.abs(dy)) pan(dx / (picture.width - picture.gutter));
    else zoom(Math.exp(dy * 0.0016), picture.unit(event.offsetX));
    // Where there is nothing more to see the page scrolls.
    if ([view.from, view.to, view.top].join() !== before) event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => {
    drag = { x: event.clientX, y: event.clientY, from: view.from, top: view.top, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    const { picture } = pane;
    if (drag) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
      if (!drag.moved) return;
      tip(null);
      const from = drag.from - dx / (picture.width - picture.gutter) * (view.to - view.from);
      view.top = drag.top - dy;
      show(from, from + view.to - view.from);
      return;
    }
    scene.hover = picture.at(event.offsetX, event.offsetY);
    tip(scene.hover, event.offsetX, event.offsetY);
    paintLog();
  });
  canvas.addEventListener("pointerup", event => {
    if (drag && !drag.moved) focusOn(pane.picture.at(event.offsetX, event.offsetY));
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { scene.hover = null; tip(null); paintLog(); });
  const jump = event => {
    const wide = view.to - view.from, at = pane.map.unit(event.offsetX);
    show(at - wide / 2, at + wide / 2);
  };
  strip.addEventListener("pointerdown", event => { strip.setPointerCapture(event.pointerId); jump(event); });
  strip.addEventListener("pointermove", event => { if (event.buttons & 1) jump(event); });
}

document.addEventListener("keydown", event => {
  if (!current().log || event.altKey || event.ctrlKey || event.metaKey) return;
  const { target } = event;
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
  const usable = scene.orders.filter(o => scene.whole || !o.whole), lanes = target === pane.canvas && pane.picture.hidden > 0;
  const lane = by => lanes && (() => { scene.view.top += by * pane.picture.lane; show(scene.view.from, scene.view.to); });
  const act = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), ArrowUp: lane(-1), ArrowDown: lane(1),
    "+": () => zoom(1 / 1.4), "=": () => zoom(1 / 1.4), "-": () => zoom(1.4), 0: showAll, Home: showAll,
    n: () => walk(1), p: () => walk(-1), w: () => showWhole(!scene.whole),
    o: () => { chooseOrder(usable[(usable.indexOf(scene.order) + 1) % Math.max(usable.length, 1)] ?? null); writeAddress(); },
    v: scene.data.log.failing !== null && backToViolation,
    "/": () => pane.search.focus(), Escape: () => focusOn(null),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintLog);
