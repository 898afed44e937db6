// The colours of the book: the definition for highlight.js that mdBook loads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import vm from "node:vm";
import hljs from "highlight.js";

import { models, repository, words } from "./words.mjs";

/** Runs the script as a page does, with a document that has these blocks. */
function load(blocks) {
  const highlighted = [];
  const library = { ...hljs, registerLanguage: hljs.registerLanguage, highlightBlock: (block) => highlighted.push(block) };
  const document = {
    querySelectorAll: (selector) => blocks.filter((b) => selector === "code.language-lin" && b.language === "lin"),
  };
  const script = readFileSync(join(repository, "book/lin-highlight.js"), "utf8");
  vm.runInNewContext(script, { hljs: library, document, window: {} });
  return highlighted;
}

const coloured = (text) => hljs.highlight(text, { language: "lin", ignoreIllegals: false }).value;
const plain = (html) =>
  html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#x27;/g, "'").replace(/&amp;/g, "&");

test("the script registers the language and colours the listings of the page again", () => {
  const listing = { language: "lin" };
  assert.deepEqual(load([listing, { language: "sh" }]), [listing]);
});

test("a page without highlight.js is left alone", () => {
  const script = readFileSync(join(repository, "book/lin-highlight.js"), "utf8");
  vm.runInNewContext(script, { document: {}, window: {} });
});

test("every keyword, type and primitive is coloured", () => {
  load([]);
  for (const word of [...words.keywords, ...words.declaring]) {
    assert.match(coloured(`x ${word} y`), new RegExp(`<span class="hljs-(keyword|literal)">${word}</span>`), word);
  }
  for (const word of [...words.types, ...words.primitives]) {
    assert.match(coloured(`${word}(x)`), new RegExp(`<span class="hljs-(built_in|type)">${word}</span>`), word);
  }
  assert.match(coloured("// loop"), /hljs-comment/);
  assert.match(coloured("/* a /* b */ loop */ x"), /hljs-comment">\/\* a .*loop \*\/<\/span> x/);
});

test("colours do not change the text of any model", () => {
  load([]);
  for (const path of models("book/src/models")) {
    const text = readFileSync(path, "utf8");
    assert.equal(plain(coloured(text)), text, path);
  }
});
