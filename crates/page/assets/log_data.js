"use strict";
// A recorded history as the page knows it: the words of its operations, which of them are shown and where, and the
// points of an order within them. Nothing here draws.

/** The operations of a log; each is known by its number on the page. */
class LogData {
  constructor(log) {
    this.log = log;
    this.count = log.call.length;
    this.matter = log.matter && new Set(log.matter);
    /** Operations that had not returned where it went wrong: there they are open. */
    this.cut = new Set(log.cut);
    /** Must an order keep to what came before what? */
    this.timed = ["linearizable", "quasi"].includes(log.condition);
  }

  process(i) { return this.log.processes[this.log.process[i]] ?? "?"; }
  call(i) { return this.log.texts[this.log.call[i]]; }
  result(i) { return this.log.result[i] === null ? null : this.log.texts[this.log.result[i]]; }
  returns(i) { return this.log.end[i] !== null; }
  words(i) {
    if (!this.returns(i)) return `${this.call(i)} (never returned)`;
    return this.result(i) === null ? this.call(i) : `${this.call(i)} = ${this.result(i)}`;
  }

  /** The operations in which a text occurs, by number. */
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return [];
    this.texts ??= Array.from({ length: this.count }, (_, i) =>
      `${this.process(i)} ${this.words(i)} line ${this.log.line[i]} `.toLowerCase());
    const found = [];
    // `line 1` is not `line 12`.
    const exact = /^line \d+$/.test(wanted) ? `${wanted} ` : wanted;
    this.texts.forEach((t, i) => { if (t.includes(exact)) found.push(i); });
    return found;
  }
}

/**
 * Where operations are: a lane for every process, and along it one unit for every call and return that is shown, so that
 * nothing is too short to be seen. `filter` has `whole` (or only what matters), and `key` and `process`, or null.
 */
function logLayout(data, filter) {
  const { log } = data;
  const shown = [];
  for (let i = 0; i < data.count; i++) {
    if (!filter.whole && data.matter && !data.matter.has(i)) continue;
    if (filter.key !== null && log.key[i] !== filter.key) continue;
    if (filter.process !== null && log.process[i] !== filter.process) continue;
    shown.push(i);
  }
  const open = i => log.end[i] === null || (!filter.whole && data.cut.has(i));
  // An event is its place, then its operation, then which of the two it is, in one number that can be sorted.
  const events = new Float64Array(2 * shown.length);
  let count = 0;
  for (const i of shown) {
    events[count++] = log.begin[i] * 2 ** 20 + i * 2;
    if (!open(i)) events[count++] = log.end[i] * 2 ** 20 + i * 2 + 1;
  }
  const sorted = events.subarray(0, count).sort();
  const span = Math.max(count, 1);
  const from = new Float64Array(data.count).fill(-1), to = new Float64Array(data.count).fill(span + 1);
  sorted.forEach((event, unit) => {
    const low = event % 2 ** 20;
    (low % 2 ? to : from)[Math.floor(low / 2)] = unit;
  });
  // Lanes in the order in which their processes appear in the log.
  const processes = [...new Set(shown.map(i => log.process[i]))].sort((p, q) => p - q);
  const number = new Map(processes.map((p, lane) => [p, lane]));
  const lane = new Int32Array(data.count).fill(-1);
  const byLane = processes.map(() => []);
  for (const i of shown) {
    lane[i] = number.get(log.process[i]);
    byLane[lane[i]].push(i);
  }
  byLane.forEach(list => list.sort((i, j) => from[i] - from[j]));
  // What never returns needs room to fade out.
  const tail = shown.some(open) ? 2 : 0;
  return { shown, from, to, lane, processes, byLane, span, tail, open: i => to[i] > span };
}

/** The first of sorted things for which something is true; their number if there is none. */
function firstWhere(length, test) {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

/**
 * The points of an order within the bars: `[operation, unit]`, as far as they are shown. Where the order keeps real time,
 * every point lies inside its bar and further to the right than the one before: between the latest call so far and the
 * earliest return to come.
 */
function orderPoints(data, layout, order) {
  const steps = order.steps.filter(i => layout.lane[i] >= 0);
  if (!data.timed) {
    return steps.map(i => [i, layout.open(i) ? layout.from[i] + 0.5 : (layout.from[i] + layout.to[i]) / 2]);
  }
  // An order that fails, or ends before the return that nothing explains, does so before that return.
  const last = order.fails ?? (order.whole ? data.log.failing : null);
  const limit = last !== null && layout.lane[last] >= 0 ? layout.to[last] : layout.span;
  return throughBars(steps, i => layout.from[i], i => layout.to[i], limit);
}
