"use strict";
// What all scripts of pages use: making elements, threads and their colours, places of an order. The script that comes last
// has the page: `current()` is the check that is shown, `source()` its file, `view` the step, `parts` the elements, and
// `go(step)` goes to a step.

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
/** A sentence; what is between backticks is code. */
const phrase = text => text.split("`").map((part, i) => (i % 2 ? make("code", {}, part) : part));
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

/** Scrolls a box so far that an element in it can be seen; where it can be seen already, nothing moves. */
function showIn(box, element) {
  const at = element.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (at < 0 || at + element.offsetHeight > box.clientHeight) box.scrollTop += at - box.clientHeight / 2;
}

/** Does an execution repeat itself for ever? */
const loops = witness => witness.repeats !== null && witness.repeats !== undefined;
