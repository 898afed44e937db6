"use strict";
// The source with its colours and where every thread is, and the schedule.

// Words of the languages. Those of `.lin` are compared with the program by a test.
const WORDS = {
  lin: {
    keyword: "op fn var let new if else while loop for in break continue return assert assume await atomic either or match " +
      "choose free self threads as object spec check against init const param type data enum struct node memory use",
    known: "true false null empty bool int thread lock seq set bag map cas dcas swap fetch_add ll sc vl unlock try_lock",
  },
  csp: {
    keyword: "channel var enum if else ifa ifb while case default atomic hvar alphabet " +
      "Stop Skip tau call new using reaches refines deadlockfree divergencefree deterministic nonterminating",
    known: "true false",
  },
  mcrl2: {
    keyword: "act proc init sort cons map var eqn allow block comm hide rename sum delta tau struct lambda forall exists whr end in if div mod",
    known: "true false Bool Nat Pos Int Real List Set Bag",
  },
};

/** The lines of the source as pieces `[kind, text]`. */
function coloured(text, file) {
  const words = WORDS[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase()];
  if (!words) return text.split("\n").map(line => [["", line]]);
  const [keyword, known] = [words.keyword, words.known].map(list => new Set(list.split(" ")));
  const note = words === WORDS.mcrl2 ? "%.*" : "\\/\\/.*";
  const token = new RegExp(`(${note})|(\\/\\*)|("[^"\\n]*"?)|(#\\w+)|(\\.?[A-Za-z_]\\w*)|(\\b\\d[\\d_]*\\b)`, "g");
  let inside = false;
  return text.split("\n").map(line => {
    const pieces = [];
    let at = 0;
    const add = (kind, to) => { if (to > at) pieces.push([kind, line.slice(at, to)]); at = to; };
    while (at < line.length) {
      if (inside) {
        const end = line.indexOf("*/", at);
        add("note", end < 0 ? line.length : end + 2);
        inside = end < 0;
        continue;
      }
      token.lastIndex = at;
      const found = token.exec(line);
      if (!found) { add("", line.length); break; }
      add("", found.index);
      const [whole, comment, opens, text, directive, word, number] = found;
      if (opens) { inside = true; at = found.index; const end = line.indexOf("*/", at + 2); add("note", end < 0 ? line.length : end + 2); inside = end < 0; continue; }
      const kind = comment ? "note" : text ? "text" : directive ? "keyword" : number ? "number"
        : keyword.has(word) ? "keyword" : known.has(word) ? "known" : "";
      add(kind, found.index + whole.length);
    }
    return pieces;
  });
}

function fillSource() {
  const { text, file } = source();
  parts.shown = source();
  // Of a single file the head of the page says which it is.
  const several = current().witness?.steps.some(s => sourceOf(s) !== sourceOf());
  if (parts.file) parts.file.textContent = several ? file : "";
  parts.pieces = coloured(text, file);
  const rows = parts.pieces.map((pieces, i) => make("tr", { id: `line-${i + 1}` },
    make("td", { class: "n" }, String(i + 1)), make("td", { class: "who" }), make("td", {}, paint(pieces))));
  parts.source.replaceChildren(make("table", { role: "presentation" }, make("tbody", {}, rows)));
}

const paint = pieces => (pieces.length === 0 ? [" "] : pieces.map(([kind, text]) => (kind ? make("span", { class: `c-${kind}` }, text) : text)));

function markSource() {
  const witness = current().witness;
  if (parts.shown !== source()) fillSource();
  const lines = witness.frames[view.step].lines ?? [];
  for (const [i, row] of [...parts.source.querySelectorAll("tr")].entries()) {
    row.classList.remove("here", "wrong");
    row.children[1].replaceChildren();
    if (row.querySelector("mark")) row.children[2].replaceChildren(...paint(parts.pieces[i]));
  }
  const files = witness.frames[view.step].files ?? [];
  for (const [i, line] of lines.entries()) {
    const row = line && sourceOf({ file: files[i] }) === source() && document.getElementById(`line-${line}`);
    if (row) row.children[1].append(make("span", { class: "tag", style: `background:${color(i + 1)}` }, named(i + 1)));
  }
  const step = witness.steps[view.step - 1];
  markPlaces(step?.places ?? []);
  const row = step && document.getElementById(`line-${step.line}`);
  if (row) {
    row.classList.add("here");
    if (step.bad) row.classList.add("wrong");
    const box = parts.source;
    showIn(box, row);
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
  // Places in other files than that of the check have names.
  const longest = Math.max(0, ...witness.entries.map(e => e.at?.length ?? 0));
  if (!witness.trace && longest) parts.list.style.setProperty("--at", `${Math.min(longest, 16)}ch`);
  const first = loops(witness) ? witness.entries.findIndex(entry => entry.step >= witness.repeats) : -1;
  parts.list.replaceChildren(...witness.entries.flatMap((entry, i) => {
    const turn = i === first ? [make("li", { class: "turn" }, "↻ from here on again and again:")] : [];
    const classes = [entry.alone ? "alone" : "", first >= 0 && i >= first ? "round" : ""].join(" ").trim();
    return [...turn, make("li", classes ? { class: classes } : {}, make("button", {
      type: "button", "data-step": entry.step + 1, onclick: () => go(entry.step + 1),
      title: `line ${entry.line}: ${entry.text}${entry.effect ? `: ${entry.effect}` : ""}`,
    },
      make("span", {}, who(entry)),
      make("span", { class: "quiet what" }, entry.at ?? String(entry.line)),
      make("span", { class: "what" + (entry.bad && entry.by ? " bad" : "") }, entry.text),
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
  if (shown) showIn(parts.list, shown);
}
