"use strict";
// Draws the report from the data in the page. Text of the model goes into the page as text, never as
// markup. Nothing is loaded. The history, memory, reasons and the source are drawn by scripts of their own, which come
// before this one.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
// What is shown: which check, which step, which of the longest orders (none: -1).
const view = { check: 0, step: 0, order: 0 };

function readAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const check = data.checks.findIndex(c => title(c) === address.get("check"));
  const first = of => data.checks.findIndex(of);
  const wanted = [check, first(unexpected), first(c => c.witness || c.log?.matter), 0];
  view.check = wanted.find(i => i >= 0);
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
  return data.checks.some(c => c.source !== check.source) ? `${file}: ${check.name}` : check.name;
}
const current = () => data.checks[view.check];
/** The file that is shown: that of the step, if an execution goes through several. */
const source = () => sourceOf(current().witness?.steps[view.step - 1]);
const sourceOf = step => data.sources.find(s => step?.file && s.file === step.file) ?? data.sources[step?.source ?? current().source];
const steps = () => (current().witness ? current().witness.frames.length - 1 : 0);

/** One step on; where the execution repeats itself, from its end to the beginning of the loop. */
function forwards() {
  const { repeats } = current().witness;
  go(view.step === steps() && loops(current().witness) ? repeats + 1 : view.step + 1);
}

function go(step) {
  const to = Math.min(Math.max(step, 0), steps());
  if (to !== view.step) {
    view.step = to;
    writeAddress();
    showStep();
  }
}

// ---------------------------------------------------------------- the page

/** Is what came of a check what was to be expected? Without a word about it, that nothing is wrong is. */
const unexpected = check => check.expected === false || (check.expected !== true && !["holds", "unknown"].includes(check.verdict));
const undecided = check => check.verdict === "unknown" && !unexpected(check);
const tone = check => (unexpected(check) ? "bad" : undecided(check) || check.doubt ? "doubtful" : check.verdict === "holds" ? "good" : "");
const mark = check => (undecided(check) ? "? " : unexpected(check) ? "✗ " : "✓ ");

function showPage() {
  const check = current(), witness = check.witness;
  document.title = `${title(check)}: ${check.verdict}`;
  page.replaceChildren();
  if (data.checks.length > 1) page.append(summary());
  const expected = check.expected === true && check.verdict !== "holds" ? [" ", make("span", { class: "chip" }, "as expected")]
    : check.expected === false ? [" ", make("span", { class: "chip bad" }, "not as expected")] : [];
  page.append(make("header", {},
    make("h1", {}, title(check), " ", make("span", { class: tone(check) }, check.headline, check.doubt ? phrase(check.doubt) : ""), expected),
    make("p", { class: "quiet" }, check.bounds ? [phrase(check.bounds), " · "].flat() : "", make("span", { class: "mono" }, source().file)),
    witness ? witness.because.slice(0, leading(witness)).map((line, i) => make("p", { class: i === 0 ? "lead" : "" }, phrase(line))) : []));
  if (check.log) showLog(check);
  else if (witness) showWitness(check);
  else showFigures(check);
  if (check.command) page.append(make("p", { class: "quiet again" }, "See it again: ", make("code", {}, check.command)));
}

/** All checks: how many are as expected, and a button for each. */
function summary() {
  const { checks } = data, wrong = checks.filter(unexpected).length, open = checks.filter(undecided).length;
  const counted = (n, word, kind) => make("b", { class: n > 0 ? kind : "quiet" }, `${n} ${word}`);
  return make("section", { class: "summary", "aria-label": "All checks" },
    make("p", {}, `${checks.length} checks: `, counted(checks.length - wrong - open, "as expected", "good"), ", ",
      counted(wrong, "unexpected", "bad"), ", ", counted(open, "unknown", "doubtful"),
      data.total ? make("span", { class: "quiet" }, ` · ${data.total}`) : ""),
    make("nav", { class: "checks", "aria-label": "Checks" }, checks.map((c, i) => make("button", {
      type: "button",
      "aria-current": i === view.check,
      title: `${c.headline}${c.expected === true ? ", as expected" : ""}`,
      onclick: () => { view.check = i; view.step = steps(); view.order = 0; writeAddress(); showPage(); },
    }, make("span", { class: unexpected(c) ? "bad" : undecided(c) ? "doubtful" : "good" }, mark(c)), title(c),
      c.verdict !== "holds" && !unexpected(c) && !undecided(c) ? make("span", { class: "quiet" }, ` ${c.headline.split(" against ")[0]}`) : ""))));
}

/** What was decided, with the figures of the search. */
function decision(check) {
  const row = (name, value) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, String(value)));
  return make("section", { class: "panel" },
    make("h2", {}, "What was decided"),
    make("p", {}, phrase(check.sentence)),
    check.witness?.size ? make("p", { class: "quiet" }, check.witness.size) : [],
    check.witness ? [] : check.aligned ? make("pre", { class: "aligned", tabindex: 0 }, check.because.join("\n"))
      : (check.because ?? []).map(line => make("p", {}, phrase(line))),
    make("table", { class: "plain" }, make("tbody", {}, check.figures.map(([name, value]) => row(name, value)))));
}

function showFigures(check) {
  page.append(decision(check));
  page.append(make("div", { class: check.operations ? "columns" : "decided" },
    check.operations ? make("section", { class: "panel" }, make("h2", {}, "Operations"),
      make("ul", {}, check.operations.map(o => make("li", {}, make("code", {}, o))))) : [],
    check.reductions.length > 0 ? make("section", { class: "panel" }, make("h2", {}, "Reductions used"),
      make("ul", {}, check.reductions.map(r => make("li", {}, make("b", {}, r.name), " ", r.what)))) : []));
  if (check.unreached && source().text) {
    parts = { source: make("div", { class: "source mono", tabindex: 0, role: "group", "aria-label": "Source" }) };
    page.append(make("div", { class: "decided" }, make("section", { class: "panel" },
      make("h2", {}, "Source"),
      check.unreached.length > 0 ? make("p", { class: "quiet" }, "Grey lines were never reached.") : [],
      parts.source)));
    fillSource();
    for (const line of check.unreached) document.getElementById(`line-${line}`)?.classList.add("unreached");
  }
}

let parts = {};

/** Is there anything to show of the memory? Of an execution of real code there is not. */
const remembers = witness => witness.trace
  || witness.frames.some(f => f.variables.length > 0 || f.nodes.length > 0 || f.locals.some(l => l.length > 0));

function showWitness(check) {
  const witness = check.witness;
  parts = {
    diagram: make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": witness.trace ? "Trace" : "History" }),
    // Of a process with operations there is a history beside the trace.
    lanes: witness.trace && witness.operations ? make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "History" }) : null,
    now: make("p", { class: "now", "aria-live": "polite" }),
    slider: make("input", {
      type: "range", min: 0, max: steps(), "aria-label": "Step",
      oninput: event => go(Number(event.target.value)),
    }),
    back: make("button", { type: "button", title: "One step back", onclick: () => go(view.step - 1) }, "‹ back"),
    next: make("button", { type: "button", title: "One step forwards", onclick: forwards }, "next ›"),
    count: make("span", { class: "quiet mono" }),
    source: make("div", { class: "source mono", tabindex: 0, role: "group", "aria-label": "Source" }),
    file: make("span", { class: "mono file" }),
    memory: make("div", { class: "scroll memory", tabindex: 0, role: "group", "aria-label": "Memory" }),
    list: make("ol", { class: `steps mono fold${witness.trace ? " events" : ""}`, tabindex: 0, "aria-label": "Steps" }),
    all: make("button", { type: "button", "aria-pressed": false, onclick: toggleAll }, "all steps"),
    orders: make("div", { class: "orders", role: "group", "aria-label": "Order that is drawn" }),
  };
  const why = reason(witness), panel = (kind, ...content) => make("section", { class: `panel ${kind}` }, content);
  const branches = (witness.continuations ?? []).length > 0, large = branches || witness.stretched;
  const because = why ? panel("with-why", make("h2", {}, witness.holds ? "What this shows" : "Why this is wrong"), why) : [];
  parts.work = make("div", { class: `work${witness.frames.some(f => f.nodes?.length > 0) ? "" : " flat"}` },
    source().text ? panel("with-source", make("h2", {}, "Source", parts.file), parts.source) : [],
    // A specification of mCRL2 has nothing but its steps.
    witness.trace && !witness.frames[0].variables.length ? []
      : remembers(witness) ? panel("with-memory", make("h2", {}, witness.trace ? "Variables" : "Memory"), parts.memory) : [],
    panel("with-steps", make("h2", {}, witness.trace ? "Events" : "Schedule", folds(witness) ? [" ", parts.all] : []), parts.list));
  page.append(
    ...(parts.lanes ? [panel("", make("h2", {}, "History"), parts.lanes)] : []),
    panel("with-history",
      make("div", { class: "heading" }, make("h2", {}, witness.trace ? "Trace" : "History"), parts.orders),
      parts.diagram,
      make("div", { class: "controls" }, parts.back, parts.slider, parts.next, parts.count),
      parts.now),
    parts.work,
    make("div", { class: why && !large ? "columns" : "decided" }, because, decision(check)));
  // A tree or a drawing needs the whole width and is below; the way there is short.
  if (large) {
    page.querySelector("header > p:last-of-type").append(" ", make("button", { type: "button", class: "jump", onclick: () => because.scrollIntoView() },
      branches ? "Ways to go on ↓" : "Order with distances ↓"));
  }
  fillSource();
  fillOrders(witness);
  if (witness.trace) fillTrace(witness);
  fillSchedule(witness);
  showStep();
  makeRoom();
}

/** Source and steps get the height that the history, drawn before, leaves of the window: they can be seen without scrolling. */
function makeRoom() {
  if (!parts.work) return;
  const top = parts.work.getBoundingClientRect().top + scrollY;
  parts.work.style.setProperty("--room", `${Math.min(Math.max(innerHeight - top - 20, 380), 900)}px`);
  markSource();
  markSchedule();
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
addEventListener("resize", () => {
  const { witness } = current();
  if (!witness) return;
  if (!witness.trace || parts.lanes) drawDiagram();
  if (!witness.trace && remembers(witness)) drawMemory();
  makeRoom();
});
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  drawOnPaper();
});
addEventListener("afterprint", () => { if (current().witness) showStep(); });

readAddress();
showPage();
