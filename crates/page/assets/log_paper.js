"use strict";
// A recorded history on paper: light, in rows that fit the width, every operation with its number, and a table that has
// all of their words. What is on the screen (a part of the history, on a canvas) is not printed.

/** Most operations that are printed; units of a row and its width. */
const PRINTED = 400, ROW = 20, PAPER = 700, MARGIN = 84;

/** What is printed of a log. */
function paper(data) {
  const whole = data.matter === null;
  let layout = logLayout(data, { whole, key: null, process: null });
  const left = layout.shown.length - PRINTED;
  const shown = layout.shown.toSorted((i, j) => data.log.begin[i] - data.log.begin[j]).slice(0, PRINTED);
  const number = new Map(shown.map((i, k) => [i, k + 1]));
  const orders = data.log.orders.filter(o => whole || !o.whole);
  const pictures = (orders.length > 0 ? orders : [null]).map((order, k) => make("div", { class: "rows" },
    orders.length > 1 ? make("h3", {}, `Longest order ${k + 1}`) : "", rows(data, layout, order, number)));
  const row = i => make("tr", i === data.log.failing ? { class: "bad" } : {},
    make("td", {}, String(number.get(i))), make("td", {}, data.process(i)), make("td", {}, data.words(i)), make("td", {}, String(data.log.line[i])));
  return make("section", { class: "panel paper" }, make("h2", {}, "History"), pictures,
    make("table", { class: "plain mono" },
      make("thead", {}, make("tr", {}, ["#", "process", "operation", "line"].map(t => make("th", { scope: "col" }, t)))),
      make("tbody", {}, shown.map(row))),
    left > 0 ? make("p", {}, `${left} more operations are in the log; the page on the screen shows them.`) : "");
}

/** The history in rows, each with the lanes that have something in it. */
function rows(data, layout, order, number) {
  const points = order ? orderPoints(data, layout, order) : [];
  const last = Math.max(...[...number.keys()].map(i => (layout.open(i) ? layout.from[i] : layout.to[i])), 1);
  const per = Math.max(Math.min(ROW, last + 1), 4), pictures = [];
  for (let start = 0; start <= last; start += per) {
    const end = start + per;
    const inside = [...number.keys()].filter(i => layout.from[i] < end && layout.to[i] >= start);
    if (inside.length === 0) continue;
    const lanes = [...new Set(inside.map(i => layout.lane[i]))].sort((a, b) => a - b);
    const x = unit => MARGIN + (Math.min(Math.max(unit, start - 0.5), end - 0.5) - start + 0.5) / per * (PAPER - MARGIN - 8);
    const y = lane => 14 + lanes.indexOf(lane) * 26;
    const svg = draw("svg", { viewBox: `0 0 ${PAPER} ${lanes.length * 26 + 8}`, role: "img", "aria-label": "History" });
    for (const lane of lanes) {
      svg.append(draw("line", { class: "lane", x1: MARGIN, x2: PAPER, y1: y(lane), y2: y(lane) }));
      svg.append(draw("text", { x: 0, y: y(lane) + 4, style: "font-weight:700" }, shorten(data.log.processes[layout.processes[lane]], 11)));
    }
    for (const i of inside) {
      const failing = i === data.log.failing, open = layout.open(i);
      const [from, to] = [x(layout.from[i]), open ? PAPER : x(layout.to[i])];
      const paint = failing ? "var(--bad)" : color(data.log.process[i] + 1);
      svg.append(draw("rect", {
        class: `bar${open ? " pending" : ""}${failing ? " failing" : ""}`, x: from, y: y(layout.lane[i]) - 10,
        width: Math.max(to - from, 4), height: 20, rx: 4, style: `fill:${paint};stroke:${paint}`,
      }));
      const words = `${number.get(i)} ${data.words(i)}`, room = Math.floor((to - from - 6) / 6.2);
      svg.append(draw("text", { x: from + 3, y: y(layout.lane[i]) - 1, class: "small", style: failing ? "fill:var(--bad)" : null },
        room >= 3 ? shorten(words, room) : String(number.get(i))));
    }
    svg.append(...drawnOrder(data, layout, order, points, { start, end, x, y, lanes }));
    pictures.push(svg);
  }
  return pictures;
}

/** The part of an order that lies in a row. */
function drawnOrder(data, layout, order, points, { start, end, x, y, lanes }) {
  const inside = points.filter(([i, at]) => at >= start - 0.5 && at < end - 0.5 && lanes.includes(layout.lane[i]));
  const place = ([i, at]) => [x(at), y(layout.lane[i]) + 4];
  const shapes = [draw("polyline", { class: "through", points: inside.map(p => place(p).join()).join(" ") }),
    ...inside.map(p => draw("circle", { class: "point", cx: place(p)[0], cy: place(p)[1], r: 2.6 }))];
  const fails = order?.fails ?? null;
  if (fails === null || !lanes.includes(layout.lane[fails])) return shapes;
  const to = layout.to[fails];
  if (to < start || to >= end) return shapes;
  const [fx, fy] = [x(to) - 6, y(layout.lane[fails]) + 4];
  const before = inside.at(-1);
  if (before) shapes.push(draw("line", { class: "stuck", x1: place(before)[0], y1: place(before)[1], x2: fx, y2: fy }));
  shapes.push(draw("path", { class: "stuck cross", d: `M${fx - 4},${fy - 4} l8,8 m0,-8 l-8,8` }));
  return shapes;
}
