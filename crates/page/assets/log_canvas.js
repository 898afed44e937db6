"use strict";
// Draws a recorded history on a canvas: lanes that stay labelled, a bar for every operation, the order through the bars,
// and a map of the whole below. However long the history, a picture has a bounded number of shapes: bars that are too
// short to be told apart become one, and so do points of the order. How many there were is said in `data-shapes`.

const LANE = 48, LOWEST_LANE = 22, TOP = 18, BAR = 0.74;

/** The colours of the page, as the canvas wants them. */
function pageColors() {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name).trim();
  const colors = Object.fromEntries(["paper", "panel", "ink", "faint", "line", "bad", "mark", "order"].map(n => [n, value(`--${n}`)]));
  colors.lanes = Array.from({ length: 8 }, (_, i) => value(`--t${i + 1}`));
  return colors;
}

/** A canvas as large as it is shown, with one unit per pixel of the page. */
function prepared(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

class LogPicture {
  /** `scene` has `data`, `layout`, `view` (`from`, `to`, `top`), `order`, `points`, `focus`, `hover`, `found`, `whole`. */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.resize(300);
  }

  /** Takes the width of its place, and as much height as the lanes need, within limits. */
  resize(width) {
    const lanes = Math.max(this.scene.layout.processes.length, 1);
    const most = Math.max(Math.min(window.innerHeight * 0.6, 620), 220);
    this.width = width;
    this.lane = Math.min(Math.max((most - TOP) / lanes, LOWEST_LANE), LANE);
    this.height = Math.min(TOP + lanes * this.lane + 8, most);
    this.canvas.style.height = `${this.height}px`;
    const longest = this.scene.layout.processes.reduce((n, p) => Math.max(n, this.scene.data.log.processes[p].length), 0);
    this.gutter = Math.min(16 + longest * 7.3, Math.max(width * 0.22, 56), 170);
    this.gutter = Math.max(this.gutter, 34);
  }

  /** How far lanes can be moved up. */
  get hidden() { return Math.max(TOP + this.scene.layout.processes.length * this.lane + 8 - this.height, 0); }
  x(unit) {
    const { from, to } = this.scene.view;
    return this.gutter + (unit - from) / (to - from) * (this.width - this.gutter);
  }
  unit(x) {
    const { from, to } = this.scene.view;
    return from + (x - this.gutter) / (this.width - this.gutter) * (to - from);
  }
  y(lane) { return TOP + (lane + 0.5) * this.lane - this.scene.view.top; }

  /** The operation at a place of the picture, or null. */
  at(x, y) {
    const { layout, view } = this.scene;
    if (x < this.gutter || y < TOP) return null;
    const list = layout.byLane[Math.floor((y - TOP + view.top) / this.lane)];
    if (!list) return null;
    const unit = this.unit(x), near = this.unit(x + 4) - unit;
    const k = firstWhere(list.length, k => layout.to[list[k]] + near >= unit);
    return k < list.length && layout.from[list[k]] - near <= unit ? list[k] : null;
  }

  paint() {
    const { layout, view } = this.scene;
    this.colors = pageColors();
    this.shapes = 0;
    this.words = [];
    const c = this.context = prepared(this.canvas, this.width, this.height);
    c.font = "12px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
    c.textBaseline = "middle";
    this.character = c.measureText("0").width;
    const first = Math.max(Math.floor((view.top - TOP) / this.lane), 0);
    const last = Math.min(Math.ceil((view.top + this.height - TOP) / this.lane), layout.processes.length);
    c.save();
    c.beginPath();
    c.rect(this.gutter, 0, this.width - this.gutter, this.height);
    c.clip();
    c.strokeStyle = this.colors.line;
    c.lineWidth = 1;
    for (let lane = first; lane < last; lane++) this.line(this.gutter, this.y(lane), this.width, this.y(lane));
    for (let lane = first; lane < last; lane++) this.bars(lane);
    this.violation();
    this.order();
    this.words.forEach(word => this.write(...word));
    for (const i of new Set([this.scene.hover, this.scene.focus])) if (i !== null && i !== undefined) this.ring(i);
    c.restore();
    this.labels(first, last);
    this.canvas.dataset.shapes = this.shapes;
  }

  line(x1, y1, x2, y2) {
    this.shapes++;
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
  }

  /** Where the bar of an operation is. */
  bar(i) {
    const { layout } = this.scene;
    const left = this.x(layout.from[i]), right = layout.open(i) ? Math.max(this.x(layout.span + layout.tail), this.width) : this.x(layout.to[i]);
    const high = this.lane * BAR, y = this.y(layout.lane[i]);
    return { left, right, top: y - high / 2, high, y };
  }

  color(i) { return this.colors.lanes[this.scene.data.log.process[i] % 8]; }

  /** Is an operation in the background? */
  dim(i) {
    const { data, whole } = this.scene;
    return whole && data.matter !== null && !data.matter.has(i);
  }

  bars(lane) {
    const { layout, view, found, data } = this.scene;
    const c = this.context, list = layout.byLane[lane];
    // Short bars next to each other are one.
    let run = null;
    const flush = () => {
      if (!run) return;
      c.globalAlpha = run.strong ? 1 : run.dim ? 0.3 : 0.55;
      c.fillStyle = run.color;
      c.fillRect(run.left, run.top, Math.max(run.right - run.left, 1.5), run.high);
      c.globalAlpha = 1;
      this.shapes++;
      run = null;
    };
    for (let k = firstWhere(list.length, k => layout.to[list[k]] >= view.from); k < list.length; k++) {
      const i = list[k];
      if (layout.from[i] > view.to) break;
      const { left, right, top, high, y } = this.bar(i);
      const failing = i === data.log.failing, hit = found.has(i), strong = failing || hit;
      if (right - left < 5 && !strong) {
        const dim = this.dim(i);
        if (run && !run.strong && run.dim === dim && left - run.right < 2) run.right = Math.max(right, run.left + 1.5);
        else {
          flush();
          run = { left, right: Math.max(right, left + 1.5), top, high, dim, color: this.color(i) };
        }
        continue;
      }
      if (right - left < 5) {
        // What was looked for is seen however short; of several at the same place, one.
        const color = failing ? this.colors.bad : this.colors.ink;
        if (run?.strong && run.color === color && left - run.right < 2) run.right = Math.max(right, run.right);
        else {
          flush();
          run = { left, right: Math.max(right, left + 2), top, high, strong: true, color };
        }
        continue;
      }
      flush();
      this.wide(i, left, right, top, high, y, failing, hit);
    }
    flush();
  }

  /** A bar with room for words. */
  wide(i, left, right, top, high, y, failing, hit) {
    const { layout } = this.scene, c = this.context, dim = this.dim(i);
    const color = failing ? this.colors.bad : this.color(i), open = layout.open(i);
    // Far outside nothing is seen, and large numbers are drawn badly.
    const [x1, x2] = [Math.max(left, this.gutter - 40), Math.min(right, this.width + 40)];
    let paint = color;
    if (open) {
      // An operation that never returns may take effect at any later time: its bar fades out and does not end.
      paint = c.createLinearGradient(left, 0, left + Math.max(160, Math.min(right - left, 420)), 0);
      paint.addColorStop(0, color);
      paint.addColorStop(1, "transparent");
    }
    c.beginPath();
    c.roundRect(x1, top, Math.max(x2 - x1, 3), high, Math.min(5, (x2 - x1) / 3));
    if (hit) {
      c.fillStyle = this.colors.mark;
      c.fill();
    }
    c.fillStyle = paint;
    c.globalAlpha = dim ? 0.08 : 0.17;
    c.fill();
    c.globalAlpha = dim ? 0.45 : 1;
    c.strokeStyle = paint;
    c.lineWidth = failing ? 2.6 : 1.3;
    c.setLineDash(open ? [5, 4] : []);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
    this.shapes++;
    // Words stay where the bar is seen; of a bar that fades out, at its beginning.
    const start = (open ? left : Math.max(left, this.gutter)) + 5, end = open ? Math.min(this.width, left + 420) : Math.min(right, this.width);
    const room = Math.floor((end - start - 3) / this.character);
    if (end < this.gutter) return;
    if (failing && this.label(i, 60).length > room) {
      // What cannot be explained is never cut off: it stands beside its bar, or before it if there is no room.
      const words = this.label(i, 60), wide = words.length * this.character;
      const beside = right + 8 + wide < this.width ? right + 8 : left - 8 - wide;
      this.words.push([words, Math.max(beside, this.gutter + 2), y - this.above(), this.colors.bad]);
      return;
    }
    if (room < 3) return;
    const ink = failing ? this.colors.bad : dim ? this.colors.faint : this.colors.ink;
    this.words.push([this.label(i, room), start, y - this.above(), ink]);
  }

  /** Words are above the middle of a bar and the order goes below it, if there is room for both. */
  above() { return this.scene.order && this.lane >= 30 ? this.lane * 0.15 : 0; }
  below() { return this.lane >= 30 ? this.lane * 0.2 : 0; }

  /** Words that can be read whatever is behind them. */
  write(text, x, y, color) {
    const c = this.context;
    c.strokeStyle = this.colors.panel;
    c.lineWidth = 3;
    c.globalAlpha = 0.75;
    c.strokeText(text, x, y);
    c.globalAlpha = 1;
    c.fillStyle = color;
    c.fillText(text, x, y);
    this.shapes++;
  }

  /** What fits: rather the result than all of the arguments. */
  label(i, room) {
    const { data, layout } = this.scene;
    const call = data.call(i), result = layout.open(i) ? null : data.result(i);
    if (result === null) return shorten(call, room);
    const all = `${call} = ${result}`;
    if (all.length <= room) return all;
    const tail = ` = ${result}`;
    return tail.length + 4 <= room ? shorten(call, room - tail.length) + tail : shorten(all, room);
  }

  /** The return that nothing explains, through all lanes. */
  violation() {
    const { data, layout } = this.scene, i = data.log.failing;
    if (i === null || layout.lane[i] < 0) return;
    const c = this.context, x = this.x(layout.to[i]);
    c.strokeStyle = this.colors.bad;
    c.lineWidth = 1;
    c.setLineDash([3, 4]);
    this.line(x, TOP - 4, x, this.height);
    c.setLineDash([]);
    c.fillStyle = this.colors.bad;
    c.beginPath();
    c.moveTo(x - 5, 4);
    c.lineTo(x + 5, 4);
    c.lineTo(x, 13);
    c.fill();
    this.shapes++;
  }

  /** The order, drawn through the bars; where it cannot go on, in red to the operation that stands in the way. */
  order() {
    const { layout, view, points, order, data } = this.scene;
    if (!order) return;
    const c = this.context;
    const place = k => [this.x(points[k][1]), this.y(layout.lane[points[k][0]]) + this.below()];
    let [first, last] = [0, points.length];
    if (data.timed) {
      first = Math.max(firstWhere(points.length, k => points[k][1] >= view.from) - 1, 0);
      last = Math.min(firstWhere(points.length, k => points[k][1] > view.to) + 1, points.length);
    }
    c.strokeStyle = c.fillStyle = this.colors.order;
    c.lineWidth = 1.8;
    c.lineJoin = "round";
    const spacing = (this.width - this.gutter) / Math.max(last - first, 1);
    if (spacing < 3) {
      this.manyPoints(first, last, place);
    } else {
      c.beginPath();
      for (let k = first; k < last; k++) c.lineTo(...place(k));
      c.stroke();
      this.shapes += last - first;
      for (let k = first; k < last; k++) {
        const [x, y] = place(k);
        c.beginPath();
        c.arc(x, y, spacing < 8 ? 2 : 3.6, 0, 7);
        c.fill();
        this.shapes++;
        if (spacing > 50 && this.below() > 0) this.words.push([String(k + 1), x + 6, y + 1, this.colors.order]);
      }
    }
    if (order.fails === null || layout.lane[order.fails] < 0) return;
    const bar = this.bar(order.fails);
    const end = [data.timed ? bar.right - Math.min(7, (bar.right - bar.left) / 2) : (bar.left + bar.right) / 2, bar.y + this.below()];
    c.strokeStyle = this.colors.bad;
    if (points.length > 0) {
      c.setLineDash([6, 4]);
      this.line(...place(points.length - 1), ...end);
      c.setLineDash([]);
    }
    c.lineWidth = 3;
    this.line(end[0] - 5, end[1] - 5, end[0] + 5, end[1] + 5);
    this.line(end[0] - 5, end[1] + 5, end[0] + 5, end[1] - 5);
  }

  /** More points than can be told apart: per pixel, from the highest to the lowest. */
  manyPoints(first, last, place) {
    const columns = new Map();
    for (let k = first; k < last; k++) {
      const [x, y] = place(k), at = Math.round(x);
      const column = columns.get(at);
      if (!column) columns.set(at, [y, y]);
      else if (y < column[0]) column[0] = y;
      else if (y > column[1]) column[1] = y;
    }
    const c = this.context;
    c.lineWidth = 1;
    // A cloud through which bars are seen.
    c.globalAlpha = 0.2;
    c.beginPath();
    for (const [x, [top, bottom]] of columns) {
      c.moveTo(x, top - 1);
      c.lineTo(x, bottom + 1);
    }
    c.stroke();
    c.globalAlpha = 1;
    this.shapes += columns.size;
  }

  /** The operation under the pointer or the one that was chosen. */
  ring(i) {
    if (this.scene.layout.lane[i] < 0) return;
    const { left, right, top, high } = this.bar(i), c = this.context;
    const x1 = Math.max(left, this.gutter - 40), x2 = Math.min(right, this.width + 40);
    c.strokeStyle = this.colors.ink;
    c.lineWidth = i === this.scene.focus ? 2.4 : 1.2;
    c.beginPath();
    c.roundRect(x1 - 2, top - 2, Math.max(x2 - x1, 3) + 4, high + 4, 6);
    c.stroke();
    this.shapes++;
  }

  labels(first, last) {
    const { layout, data } = this.scene, c = this.context;
    c.fillStyle = this.colors.panel;
    c.fillRect(0, 0, this.gutter, this.height);
    c.strokeStyle = this.colors.line;
    c.lineWidth = 1;
    this.line(this.gutter - 0.5, 0, this.gutter - 0.5, this.height);
    c.save();
    c.font = "bold " + c.font;
    for (let lane = first; lane < last; lane++) {
      const process = layout.processes[lane];
      c.fillStyle = this.colors.lanes[process % 8];
      c.fillText(shorten(data.log.processes[process], Math.floor((this.gutter - 8) / this.character)), 2, this.y(lane));
      this.shapes++;
    }
    c.restore();
  }
}

/** The whole history in a strip: where operations are, what part of it is shown, and where it goes wrong. */
class LogMap {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.height = 46;
    this.width = 300;
    this.bars = document.createElement("canvas");
  }

  resize(width) {
    this.width = width;
    this.canvas.style.height = `${this.height}px`;
    this.drawn = null;
  }

  get units() { return this.scene.layout.span + this.scene.layout.tail; }
  x(unit) { return (unit + 0.5) / this.units * this.width; }
  unit(x) { return x / this.width * this.units - 0.5; }

  /** The operations, once for every layout and width: a picture of at most a shape for every pixel. */
  operations(colors) {
    const { layout, data, whole } = this.scene;
    const c = prepared(this.bars, this.width, this.height);
    const lanes = Math.max(layout.processes.length, 1), high = Math.max((this.height - 8) / lanes, 1);
    for (const [lane, list] of layout.byLane.entries()) {
      const y = 4 + lane * (this.height - 8) / lanes;
      let end = -1;
      for (const i of list) {
        const left = this.x(layout.from[i]), right = layout.open(i) ? left + 3 : this.x(layout.to[i]);
        if (right < end + 0.7) continue;
        const start = Math.max(left, end);
        c.globalAlpha = whole && data.matter && !data.matter.has(i) ? 0.35 : 0.7;
        c.fillStyle = colors.lanes[data.log.process[i] % 8];
        c.fillRect(start, y, Math.max(right - start, 1), Math.max(high * 0.7, 0.8));
        end = Math.max(right, start + 1);
      }
    }
    c.globalAlpha = 1;
    this.drawn = layout;
  }

  paint() {
    const { layout, view, data, found } = this.scene, colors = pageColors();
    const theme = colors.paper;
    if (this.drawn !== layout || this.theme !== theme) this.operations(colors);
    this.theme = theme;
    const c = prepared(this.canvas, this.width, this.height);
    if (this.bars.width > 0 && this.bars.height > 0) c.drawImage(this.bars, 0, 0, this.width, this.height);
    c.fillStyle = colors.ink;
    const columns = new Set();
    for (const i of found) if (layout.lane[i] >= 0) columns.add(Math.round(this.x(layout.from[i])));
    for (const x of columns) c.fillRect(x, this.height - 5, 1.5, 5);
    const failing = data.log.failing;
    if (failing !== null && layout.lane[failing] >= 0) {
      const x = this.x(layout.to[failing]);
      c.fillStyle = colors.bad;
      c.fillRect(x - 1, 0, 2, this.height);
      c.beginPath();
      c.moveTo(x - 6, 0);
      c.lineTo(x + 6, 0);
      c.lineTo(x, 8);
      c.fill();
    }
    const left = Math.max(this.x(view.from), 0.5), right = Math.min(this.x(view.to), this.width - 0.5);
    c.strokeStyle = colors.ink;
    c.lineWidth = 1.5;
    c.strokeRect(left, 1, Math.max(right - left, 3), this.height - 2);
  }
}
