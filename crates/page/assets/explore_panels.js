"use strict";
// The panels of the page on which executions are chosen: errors, possible steps, watched expressions, configurations,
// bookmarks. They draw what `state` says and change it only through functions of the script that comes last.

/** A text with everything that cannot be seen as itself written by its number. */
const visible = text => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu,
  c => `\\u{${c.codePointAt(0).toString(16)}}`);

/** What is wrong with the text, or suspicious about it. A click goes to the place. */
function fillErrors(problem, warnings) {
  const list = problem ? problem.diagnostics : warnings;
  const one = d => make("li", { class: d.severity === "error" ? "bad" : "doubtful" },
    problem?.file ? make("span", { class: "mono" }, `${problem.file}, line ${d.at.line}`)
      : make("button", { type: "button", class: "jump", onclick: () => selectPlace(d.at) }, `line ${d.at.line}`),
    " ", make("span", {}, phrase(d.message)),
    d.help ? make("span", { class: "quiet" }, " · ", phrase(d.help)) : []);
  parts.errors.replaceChildren(
    ...(problem && list.length === 0 ? [make("li", { class: "bad" }, phrase(problem.message))] : []),
    ...list.map(one));
  parts.errors.hidden = parts.errors.childElementCount === 0;
}

/** Puts the cursor of the editor at a place, which is counted in bytes of UTF-8. */
function selectPlace({ start, end }) {
  showEditor(true);
  const bytes = new TextEncoder().encode(parts.editor.value), decoder = new TextDecoder();
  const at = n => decoder.decode(bytes.slice(0, n)).length;
  parts.editor.focus();
  parts.editor.setSelectionRange(at(start), at(end));
  const line = parts.editor.value.slice(0, at(start)).split("\n").length;
  parts.editor.scrollTop = Math.max(0, (line - 5) * parts.editor.scrollHeight / parts.editor.value.split("\n").length);
}

/** The steps that are possible now. The one that the execution goes on with is marked; any other leaves it. */
function fillChoices(moment) {
  const { steps: possible, more, end, note } = moment, next = state.path[view.step];
  parts.choices.replaceChildren(...possible.map((step, i) => make("li", {}, make("button", {
    type: "button", "aria-current": i === next, onclick: () => choose(i),
    title: i === next ? "the execution goes on with this step" : state.path.length > view.step ? "leaves the execution here" : null,
  },
    make("span", { class: "quiet" }, i < 9 ? String(i + 1) : ""),
    who(step),
    make("span", { class: "quiet" }, String(step.line)),
    make("span", { class: step.bad ? "bad" : "" }, step.text)))));
  const others = more > 0 ? `and ${more} more, which are too many to show` : null;
  parts.end.replaceChildren(...[end, note, others].filter(Boolean).map(text => make("p", { class: "doubtful" }, text)));
}

/** Everything that is watched, with its value at this moment and whether the last step changed it. */
function fillWatches() {
  const at = state.film?.watches[view.step] ?? [], before = state.film?.watches[view.step - 1] ?? [];
  parts.watches.replaceChildren(...state.watches.map((text, i) => {
    const seen = at[i], changed = view.step > 0 && JSON.stringify(seen) !== JSON.stringify(before[i]);
    return make("tr", { class: changed ? "changed" : "" },
      make("td", {}, make("code", {}, visible(text))),
      make("td", { class: "mono" }, seen ? seenAs(seen) : ""),
      make("td", {}, make("button", { type: "button", class: "jump", "aria-label": `Watch ${text} no more`, onclick: () => unwatch(i) }, "×")));
  }));
}

function seenAs(seen) {
  if (seen.wrong) return [make("span", { class: "bad" }, phrase(seen.wrong))];
  if (seen.not) return [make("span", { class: "quiet" }, phrase(seen.not))];
  if (!seen.each) return [make("span", seen.past ? { class: "quiet", title: "uses a variable that its operation does not need any more" } : {}, seen.value)];
  if (seen.each.length === 0) return [make("span", { class: "quiet" }, "no configuration is left")];
  // The same value in several configurations is said once.
  const values = Map.groupBy ? Map.groupBy(seen.each, v => v.value ?? v.not) : new Map(seen.each.map(v => [v.value ?? v.not, seen.each.filter(w => (w.value ?? w.not) === (v.value ?? v.not))]));
  return [...values].flatMap(([value, those], i) => [i ? make("span", { class: "quiet" }, " or ") : "",
    make("span", those[0].not ? { class: "quiet" } : { title: `in ${those.length} of ${seen.each.length} configurations` }, value)]);
}

/** The configurations of the specification that explain what has happened so far. A click draws the order through the bars. */
function fillConfigurations(set) {
  const { witness } = current();
  const operation = ({ operation: i, result }) => {
    const o = witness.operations[i];
    return make("span", { class: "event" }, make("span", { style: `color:${color(o.thread)}` }, `T${o.thread}`), ` ${o.call}`, result === "()" ? "" : ` → ${result}`);
  };
  if (set.unknown) return parts.configurations.replaceChildren(make("p", { class: "doubtful" }, set.unknown));
  const said = set.count === 0 ? make("p", { class: "bad" }, "No order of the operations explains what has happened.")
    : make("p", { class: "quiet" }, set.count === 1 ? "One configuration explains what has happened:" : `${set.count} configurations explain what has happened:`);
  const rows = set.shown.map((c, i) => make("tr", { class: view.configuration === i ? "changed" : "" },
    make("td", {}, make("button", { type: "button", class: "jump", "aria-pressed": view.configuration === i, title: "draw this order through the bars", onclick: () => showConfiguration(i) }, String(i + 1))),
    make("td", { class: "mono" }, c.state || "(no state)"),
    make("td", {}, c.order.length === 0 ? make("span", { class: "quiet" }, "nothing has taken effect") : c.order.flatMap((o, k) => [k ? " " : "", operation(o)]))));
  parts.configurations.replaceChildren(said, ...(rows.length === 0 ? [] : [make("table", { class: "plain" },
    make("thead", {}, make("tr", {}, ["#", "state", "an order that leads there"].map(t => make("th", { scope: "col" }, t)))),
    make("tbody", {}, rows))]),
  ...(set.count > set.shown.length ? [make("p", { class: "quiet" }, `and ${set.count - set.shown.length} more`)] : []));
}

/** Places that were kept. */
function fillBookmarks() {
  parts.bookmarks.replaceChildren(...state.bookmarks.map((b, i) => make("span", { class: "chip" },
    make("button", { type: "button", class: "jump", title: `${b.check}, step ${b.at} of ${b.path.length}`, onclick: () => visitBookmark(i) }, visible(b.name)),
    make("button", { type: "button", class: "jump", "aria-label": `Remove bookmark ${b.name}`, onclick: () => removeBookmark(i) }, "×"))));
}

/** The verdict of the last check, with its reasons. */
function fillVerdict() {
  const { answer, checking } = state;
  parts.check.disabled = !state.good || checking;
  parts.stop.disabled = !checking;
  if (checking) return parts.verdict.replaceChildren(make("span", { class: "quiet" }, `checking ${state.check} …`));
  if (!answer) return parts.verdict.replaceChildren(make("span", { class: "quiet" }, "not checked yet"));
  if (answer.problem) return parts.verdict.replaceChildren(make("span", { class: "bad" }, phrase(answer.problem.message)));
  const { check } = answer, lines = check.witness ? check.witness.because : [...(check.because ?? []), ...(check.advice ?? [])];
  const tone = { holds: check.doubt ? "doubtful" : "good", violated: "bad" }[check.verdict] ?? "doubtful";
  parts.verdict.replaceChildren(
    make("p", {}, make("span", { class: tone }, phrase(check.sentence)), check.doubt ? phrase(check.doubt) : "", " ",
      answer.violation ? make("button", { type: "button", class: "jump", onclick: showViolation }, "Show the violation") : [],
      state.answered !== state.source ? make("span", { class: "chip" }, "of another text") : []),
    ...(lines.length === 0 ? [] : [make("details", {}, make("summary", { class: "quiet" }, phrase(lines[0])), lines.slice(1).map(line => make("p", {}, phrase(line))),
      make("p", { class: "quiet" }, check.figures.map(([name, value]) => `${name}: ${value}`).join(" · ")))]));
}
