"use strict";
// The page of `linchpin explore`: edit a model, check it, choose the steps of an execution, watch expressions. The server
// remembers nothing: an execution is numbers of steps, which the page keeps, so undoing and bookmarks are copies of them. Text
// of the model goes into the page as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");

// What there is: the last text without errors, which check, which steps, what is watched, what to come back to.
const state = {
  source: "", check: data.check ?? "", initial: 0, path: [], watches: [], bookmarks: [],
  good: false, checks: [], film: null, answer: null, answered: null, checking: false, problem: null,
};
// Where we are: after which step, which order is drawn, and of which configuration.
const view = { step: 0, order: 0, configuration: null };
const undone = [], KEPT = 200;
let parts = {}, shownSource = null;

// What the scripts that draw need to know.
const NOTHING = { threads: [], operations: [], entries: [], steps: [], nodes: [], frames: [{ variables: [], nodes: [], locals: [], lines: [] }] };
const current = () => ({ witness: state.film?.witness ?? NOTHING, source: 0 });
const sourceOf = step => state.film?.sources.find(s => step?.file && s.file === step.file) ?? shownSource;
const source = () => sourceOf(current().witness.steps[view.step - 1]);
const steps = () => current().witness.frames.length - 1;

// ---------------------------------------------------------------- asking

/** Asks the server; an answer to what is not the latest question of its kind is forgotten. */
const asked = {};
async function ask(name, question) {
  const number = (asked[name] ?? 0) + 1;
  asked[name] = number;
  try {
    const reply = await fetch(name, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    const answer = reply.ok ? await reply.json() : { problem: { message: (await reply.text()).trim(), diagnostics: [] } };
    parts.offline.hidden = true;
    return asked[name] === number ? answer : null;
  } catch {
    parts.offline.hidden = false;
    return null;
  }
}
const execution = (path = state.path) => ({ source: state.source, check: state.check, initial: state.initial, path });

/** Reads the text in the editor; if it has no errors, everything is shown for it. */
async function load() {
  const text = parts.editor.value;
  const answer = await ask("load", { source: text });
  if (!answer) return;
  state.good = !answer.problem;
  fillErrors(answer.problem, answer.warnings ?? []);
  fillVerdict();
  if (state.good) {
    state.source = text;
    shownSource = { file: data.file, text: visible(text) };
    state.checks = answer.checks;
    if (!state.checks.some(c => c.name === state.check)) {
      state.check = (state.checks.find(c => c.name.split("/")[0] === state.check) ?? state.checks[0])?.name ?? "";
      [state.initial, state.path, view.step] = [0, [], 0];
    }
    fillChecks();
    fillVerdict();
    await show();
  }
}

/** Shows the execution, at this step if there is one. */
async function show(step = view.step) {
  keep();
  if (!state.check) return parts.trouble.replaceChildren(make("p", { class: "doubtful" }, "The model has no check; write one to have something to execute."));
  const film = await ask("film", { ...execution(), watches: state.watches });
  if (!film) return;
  parts.trouble.replaceChildren(...[film.problem?.message, film.stopped].filter(Boolean).map(text => make("p", { class: "doubtful" }, phrase(text))));
  if (film.problem) {
    state.film = null;
    return;
  }
  state.film = film;
  [state.path, state.initial] = [film.path, film.initial];
  const violation = sameAsViolation() ? state.answer.check.witness : {};
  for (const key of ["failing", "waits", "repeats"]) film.witness[key] = violation[key];
  film.longest = violation.attempts ?? [];
  plan = null;
  fillInitial();
  fillSource();
  fillSchedule(film.witness);
  parts.slider.max = steps();
  view.step = Math.min(step, steps());
  view.configuration = null;
  await showStep();
}

const sameAsViolation = () => Boolean(state.answer?.violation) && state.answered === state.source
  && state.answer.of === state.check && state.answer.violation.initial === state.initial
  && JSON.stringify(state.answer.violation.path) === JSON.stringify(state.path);

/** Shows the moment after a step: at once what is known, then what can happen. */
async function showStep() {
  const { witness } = current(), { film } = state, step = witness.steps[view.step - 1];
  if (!film) return;
  keep();
  parts.slider.value = view.step;
  parts.slider.setAttribute("aria-valuetext", step ? `step ${view.step}: ${step.text}` : "before the first step");
  parts.back.disabled = view.step === 0;
  parts.next.disabled = view.step === steps();
  parts.undo.disabled = undone.length === 0;
  parts.count.textContent = `${view.step} / ${steps()}`;
  const lost = film.explained.indexOf(0);
  parts.now.replaceChildren(...(step ? [...who(step), " ", make("span", { class: "mono" }, step.text)] : [make("span", { class: "quiet" }, "Before the first step")]),
    lost >= 0 && view.step >= lost ? make("span", { class: "bad" }, ` · since step ${lost} no order explains the history`) : "");
  witness.attempts = view.step === steps() ? film.longest : [];
  drawMoment();
  fillWatches();
  markSource();
  markSchedule();
  const moment = await ask("end", execution(state.path.slice(0, view.step)));
  if (!moment) return;
  if (moment.problem) return parts.end.replaceChildren(make("p", { class: "bad" }, phrase(moment.problem.message)));
  state.moment = moment;
  fillChoices(moment);
  fillConfigurations(moment.configurations);
  if (view.configuration !== null) showConfiguration(view.configuration, true);
}

function drawMoment() {
  const { witness } = current();
  fillOrders(witness);
  drawDiagram();
  drawMemory();
}

/** Draws the order of a configuration through the bars; the second time it is taken away. */
function showConfiguration(i, again = false) {
  view.configuration = view.configuration === i && !again ? null : i;
  const { witness } = current(), chosen = state.moment.configurations.shown?.[view.configuration];
  if (!chosen) view.configuration = null;
  view.order = 0;
  witness.attempts = chosen ? [{ order: { initial: "", steps: chosen.order.map(o => ({ ...o, state: "" })) }, stuck: [], until: view.step }]
    : view.step === steps() ? state.film.longest : [];
  drawMoment();
  fillConfigurations(state.moment.configurations);
}

function go(step) {
  const to = Math.min(Math.max(step, 0), steps());
  if (to !== view.step) {
    view.step = to;
    view.configuration = null;
    showStep();
  }
}

// ---------------------------------------------------------------- changing

/** Goes to another execution; `undo` comes back. */
function leaveFor({ check = state.check, initial = state.initial, path, at = path.length }) {
  undone.push({ check: state.check, initial: state.initial, path: state.path, at: view.step });
  if (undone.length > KEPT) undone.shift();
  moveTo({ check, initial, path, at });
}
function moveTo({ check, initial, path, at }) {
  Object.assign(state, { check, initial, path });
  parts.checks.value = check;
  show(at);
}
function undo() {
  const last = undone.pop();
  if (last) moveTo(last);
}

/** Takes a step. The one that comes next anyway only goes on. */
function choose(i) {
  if (!state.moment || i >= state.moment.steps.length) return;
  if (state.path[view.step] === i) return go(view.step + 1);
  leaveFor({ path: [...state.path.slice(0, view.step), i] });
}
function showViolation() {
  const { violation, of } = state.answer;
  leaveFor({ check: of, ...violation });
}

async function check() {
  Object.assign(state, { checking: true, answer: null });
  fillVerdict();
  const of = state.check, answered = state.source, answer = await ask("check", { source: answered, check: of });
  Object.assign(state, { checking: false, answer: answer && { ...answer, of }, answered });
  fillVerdict();
  if (answer?.violation) showViolation();
}

function addWatch(event) {
  event.preventDefault();
  const text = parts.expression.value.trim();
  if (!text || state.watches.includes(text)) return;
  state.watches.push(text);
  parts.expression.value = "";
  show();
}
function unwatch(i) {
  state.watches.splice(i, 1);
  show();
}

function bookmark() {
  const { check, initial, path } = state, at = view.step, step = current().witness.steps[at - 1];
  state.bookmarks.push({ name: `${at}: ${step ? shorten(step.text, 24) : "start"}`, check, initial, path, at });
  fillBookmarks();
  keep();
}
function visitBookmark(i) {
  leaveFor(state.bookmarks[i]);
}
function removeBookmark(i) {
  state.bookmarks.splice(i, 1);
  fillBookmarks();
  keep();
}

/** Shows the script up to this step, to be copied: `linchpin simulate` goes the same way with it. */
function share() {
  const head = state.film.initials > 1 ? 2 : 1;
  const script = state.film.script.split("\n").slice(0, head + view.step).join("\n") + "\n";
  parts.script.value = state.source === data.text.replace(/\r\n?/g, "\n") ? script : `# The model was changed on the page: save its text first.\n${script}`;
  parts.sharing.showModal();
  parts.script.select();
}
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    parts.script.select();
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

/** What is on the page survives a reload of it. */
function keep() {
  const { check, initial, path, watches, bookmarks } = state;
  const kept = { text: parts.editor.value, check, initial, path, watches, bookmarks, at: view.step };
  try { sessionStorage.setItem(location.pathname, JSON.stringify(kept)); } catch { /* Then it does not. */ }
}
function remember() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(location.pathname)); } catch { /* Nothing was kept. */ }
  if (!kept) return;
  const { text, at, ...rest } = kept;
  Object.assign(state, rest);
  parts.editor.value = text;
  view.step = at;
}

// ---------------------------------------------------------------- the page

function showEditor(editing) {
  parts.model.classList.toggle("editing", editing);
  parts.edit.setAttribute("aria-pressed", editing);
  parts.look.setAttribute("aria-pressed", !editing);
}

function fillChecks() {
  parts.checks.replaceChildren(...state.checks.map(c => make("option", { value: c.name }, c.name)));
  parts.checks.value = state.check;
  parts.bounds.replaceChildren(...phrase(state.checks.find(c => c.name === state.check)?.bounds ?? ""));
}

function fillInitial() {
  const { initials, initial } = state.film;
  parts.initial.hidden = initials < 2;
  parts.initial.replaceChildren("Initial state ", make("select", {
    "aria-label": "Initial state", onchange: event => leaveFor({ initial: Number(event.target.value), path: [] }),
  }, Array.from({ length: initials }, (_, i) => make("option", i === initial ? { value: i, selected: "" } : { value: i }, String(i + 1)))), ` of ${initials}`);
}

function furnish() {
  const button = (text, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, text);
  const scroll = (kind, label) => make("div", { class: `scroll ${kind}`, tabindex: 0, role: "group", "aria-label": label });
  let typing = 0;
  parts = {
    checks: make("select", { "aria-label": "Check", onchange: event => leaveFor({ check: event.target.value, initial: 0, path: [] }) || fillChecks() }),
    bounds: make("span", { class: "quiet" }),
    check: button("Check", check), stop: button("Stop", () => ask("stop", {})),
    verdict: make("div", { class: "verdict", role: "status" }),
    offline: make("p", { class: "bad", role: "alert", hidden: "" }, "The program that serves this page has ended."),
    trouble: make("div", { role: "status" }),
    diagram: scroll("", "History"), orders: make("div", { class: "orders", role: "group", "aria-label": "Order that is drawn" }),
    slider: make("input", { type: "range", min: 0, max: 0, "aria-label": "Step", oninput: event => go(Number(event.target.value)) }),
    back: button("‹ back", () => go(view.step - 1), { title: "One step back" }),
    next: button("next ›", () => go(view.step + 1), { title: "One step forwards" }),
    undo: button("Undo", undo, { title: "back to the execution that was left last" }),
    count: make("span", { class: "quiet mono" }), now: make("p", { class: "now", "aria-live": "polite" }),
    bookmarks: make("span", { class: "bookmarks" }), initial: make("p", { hidden: "" }),
    choices: make("ol", { class: "choices mono", "aria-label": "Possible steps" }), end: make("div", {}),
    memory: scroll("memory", "Memory"),
    expression: make("input", { type: "text", class: "mono", "aria-label": "Expression to watch", maxlength: 1000, placeholder: "top == T1.t", spellcheck: "false", autocomplete: "off" }),
    watches: make("tbody", {}), configurations: make("div", { class: "scroll" }),
    source: make("div", { class: "source mono", tabindex: 0, role: "group", "aria-label": "Source" }),
    list: make("ol", { class: "steps mono", tabindex: 0, "aria-label": "Steps" }),
    editor: make("textarea", { class: "mono", "aria-label": "Text of the model", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
      oninput: () => { clearTimeout(typing); typing = setTimeout(load, 350); keep(); } }),
    errors: make("ul", { class: "errors", hidden: "" }),
    look: button("Source", () => showEditor(false), { "aria-pressed": true }), edit: button("Edit", () => showEditor(true), { "aria-pressed": false }),
    script: make("textarea", { class: "mono", readonly: "", rows: 14, "aria-label": "Script" }),
  };
  parts.sharing = make("dialog", { class: "panel", "aria-label": "Script" },
    make("p", {}, "Answers for ", make("code", {}, "linchpin simulate"), ", which goes the same way with them; save them as a file."),
    parts.script, make("p", { class: "controls" }, button("Copy", event => copy(parts.script.value, event.target)), button("Close", () => parts.sharing.close())));
  const panel = (kind, title, ...content) => make("section", { class: `panel ${kind}` }, make("h2", {}, title), content);
  parts.model = panel("model", [make("span", {}, "Model"), " ", parts.look, parts.edit], parts.errors, parts.source, parts.editor);
  page.append(
    make("header", {},
      make("h1", { class: "asking" }, make("span", { class: "mono" }, data.file.split(/[\\/]/).pop()), parts.checks, parts.check, parts.stop, parts.bounds),
      parts.offline, parts.verdict, parts.trouble),
    make("section", { class: "panel with-history" },
      make("div", { class: "heading" }, make("h2", {}, "History"), parts.orders), parts.initial, parts.diagram,
      make("div", { class: "controls" }, parts.back, parts.slider, parts.next, parts.count,
        parts.undo, button("Start again", () => leaveFor({ path: [] })), button("Bookmark", bookmark), button("Share", share)),
      parts.bookmarks, parts.now),
    make("div", { class: "desk" },
      make("div", { class: "column" }, parts.model),
      make("div", { class: "column" },
        panel("with-choices", "Possible steps", parts.choices, parts.end),
        panel("with-watches", "Watch",
          make("form", { class: "controls", onsubmit: addWatch }, parts.expression, make("button", { type: "submit" }, "Watch")),
          make("p", { class: "quiet" }, "Variables of the object, ", make("code", {}, "T1.x"), " of a thread, and of the specification."),
          make("table", { class: "plain watching" }, parts.watches)),
        panel("with-configurations", "Configurations of the specification", parts.configurations),
        panel("with-memory", "Memory", parts.memory)),
      make("div", { class: "column" }, panel("", "Steps so far", parts.list))),
    parts.sharing);
  parts.editor.value = data.text;
  document.title = `${data.file.split(/[\\/]/).pop()}: explore`;
}

document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || parts.sharing.open) return;
  if (event.target.closest?.("input, textarea, select")) return;
  const to = { ArrowLeft: view.step - 1, ArrowRight: view.step + 1, Home: 0, End: steps() }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    go(to);
  } else if (/^[1-9]$/.test(event.key)) choose(Number(event.key) - 1);
  else if (event.key === "u") undo();
});
addEventListener("resize", () => { if (state.film) drawMoment(); });

furnish();
remember();
showEditor(false);
fillBookmarks();
fillVerdict();
load();
