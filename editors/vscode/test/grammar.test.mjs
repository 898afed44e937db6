// The grammar, tried with the machinery of the editor on words and on all models of the repository.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

import { extension, models, words } from "./words.mjs";

const require = createRequire(import.meta.url);
await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => {
    const path = join(extension, "syntaxes/lin.tmLanguage.json");
    return textmate.parseRawGrammar(readFileSync(path, "utf8"), path);
  },
});
const grammar = await registry.loadGrammar("source.lin");

/** The tokens of a text: line, text, innermost scope. */
function tokens(text) {
  const found = [];
  let stack = textmate.INITIAL;
  text.split("\n").forEach((line, number) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const piece = line.slice(token.startIndex, token.endIndex);
      found.push({ line: number + 1, start: token.startIndex, piece, scopes: token.scopes, scope: token.scopes.at(-1) });
    }
  });
  return found;
}

/** The scope of the first token with this text. */
function scope(text, piece) {
  const token = tokens(text).find((t) => t.piece.trim() === piece);
  assert.ok(token, `no token \`${piece}\` in ${text}`);
  return token.scope;
}

const COLOURED = /^(keyword|storage|constant|variable\.language|support)\./;

test("every keyword is coloured, and as a member it is not", () => {
  for (const word of words.keywords) {
    assert.match(scope(`x ${word} y`, word), COLOURED, word);
    assert.equal(scope(`x.${word} y`, word), "variable.other.member.lin", word);
    assert.equal(tokens(`x${word}y`)[0].scope, "source.lin", word);
  }
});

test("types, primitives and methods are coloured where they are used as such", () => {
  for (const word of words.types) {
    const text = ["seq", "set", "bag"].includes(word) ? `var x: ${word}<T>` : word === "map" ? "var x: map<K, V>" : `var x: ${word}`;
    assert.equal(scope(text, word), "support.type.lin", word);
  }
  for (const word of words.primitives) {
    assert.equal(scope(`${word}(x)`, word), "support.function.primitive.lin", word);
    assert.notEqual(scope(`op ${word}(x: T) { }`, word), "support.function.primitive.lin", word);
  }
  for (const word of words.methods) {
    assert.equal(scope(`x.${word}()`, word), "support.function.method.lin", word);
    assert.equal(scope(`x.${word} = 1`, word), "variable.other.member.lin", word);
  }
});

test("words that declare are coloured where they declare and are names elsewhere", () => {
  const shapes = {
    check: "check A against B { }",
    against: "check A against B { }",
    init: "init { }",
    memory: "memory gc",
    use: 'use "queue.lin"',
  };
  for (const word of words.declaring) {
    const expected = word === "use" ? /^keyword\.control\.import\./ : /^storage\./;
    assert.match(scope(shapes[word] ?? `${word} Name`, word), expected, word);
    const elsewhere = tokens(`x = ${word} + 1`).find((t) => t.piece.includes(word));
    assert.equal(elsewhere.scope, "source.lin", word);
  }
  for (const word of words.memories) {
    assert.equal(scope(`memory ${word}`, word), "constant.language.lin");
  }
});

test("words of checks are coloured in checks only", () => {
  for (const word of words.conditions) {
    assert.equal(scope(`check A against B ${word} { }`, word), "keyword.other.condition.lin", word);
    assert.equal(tokens(`let ${word} = 1`).find((t) => t.piece === word).scope, "variable.other.lin", word);
  }
  for (const word of words.settings) {
    assert.match(scope(`check A against B { ${word} 2 }`, word), /^keyword\.other\.setting/, word);
  }
  const shapes = {
    itself: "check A against itself",
    script: "check A against B { role r(1) script { } }",
    repeat: "check A against B { role r(1) script { repeat 2 { f() } } }",
    holds: "check A against B { expect holds }",
    violated: "check A against B { expect violated }",
    weak: 'check A against B ltl weak "[] call" { threads 2 }',
    deadlock: "check A against B { expect deadlock }",
    fault: "check A against B { expect fault assertion }",
  };
  for (const word of words.checks) {
    const text = shapes[word] ?? `check A against B { values T: ${word} }`;
    assert.match(scope(text, word), COLOURED, word);
  }
  for (const fault of words.faults) {
    assert.equal(scope(`check A against B { expect fault ${fault} }`, fault), "constant.language.fault.lin");
  }
  assert.equal(scope("point", "point"), "keyword.control.lin");
  assert.equal(scope("{ point }", "point"), "keyword.control.lin");
  assert.equal(tokens("point = 1")[0].scope, "source.lin");
});

test("a check ends where the next declaration begins", () => {
  const text = "check A against B {\n  threads 2\n}\nobject C {\n  var ops: int\n}";
  const after = tokens(text).filter((t) => t.line >= 4);
  assert.ok(after.every((t) => !t.scopes.includes("meta.check.lin")));
  assert.equal(after.find((t) => t.piece === "ops").scope, "variable.other.lin");
});

test("comments nest and end where they end", () => {
  const found = tokens("a /* b /* c */\nloop */ loop // loop");
  const loops = found.filter((t) => t.piece.includes("loop")).map((t) => t.scope);
  assert.deepEqual(loops, ["comment.block.lin", "keyword.control.lin", "comment.line.double-slash.lin"]);
});

test("in every model of the repository all keywords are coloured and nothing in comments is", () => {
  let keywords = 0;
  const all = [...models("corpus"), ...models("book/src/models")];
  for (const path of all) {
    const text = readFileSync(path, "utf8");
    const lines = text.split("\n");
    for (const token of tokens(text)) {
      const where = `${path}:${token.line}: \`${token.piece}\` is ${token.scope}`;
      const line = lines[token.line - 1];
      const comment = line.indexOf("//");
      if (comment >= 0 && token.start >= comment) {
        assert.match(token.scope, /^comment\./, where);
        continue;
      }
      for (const word of token.piece.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []) {
        if (words.keywords.includes(word) && !/^(variable\.other\.member|comment|string)/.test(token.scope)) {
          assert.match(token.scope, COLOURED, where);
          keywords += 1;
        }
      }
    }
  }
  assert.ok(all.length > 100 && keywords > 5000, `${all.length} models, ${keywords} keywords`);
});
