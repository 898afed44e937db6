// The extension without an editor: its parts are there, the bundle starts, the commands do what they say.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import esbuild from "esbuild";

import { extension } from "./words.mjs";

const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));

test("every file that the manifest names exists", () => {
  const { languages, grammars, snippets } = manifest.contributes;
  const paths = [manifest.main, ...languages.map((l) => l.configuration), ...[...grammars, ...snippets].map((c) => c.path)];
  for (const path of paths) {
    assert.ok(existsSync(join(extension, path)), path);
  }
  assert.deepEqual(languages[0].extensions, [".lin"]);
});

test("the bundle needs nothing but the editor and Node", () => {
  const bundle = readFileSync(join(extension, "dist/extension.js"), "utf8");
  const names = new Set([...bundle.matchAll(/\brequire\("([^"]+)"\)/g)].map((m) => m[1]));
  const builtin = (name) => name === "vscode" || Module.isBuiltin(name);
  assert.deepEqual([...names].filter((name) => !builtin(name)), []);
  assert.ok(names.has("vscode"));
  assert.ok(bundle.length < 600_000, `${bundle.length} bytes: is it minified?`);
});

test("the licence texts of all that is bundled are there", () => {
  const text = readFileSync(join(extension, "dist/LICENSE.txt"), "utf8");
  for (const name of ["Linchpin (LICENSE-MIT)", "Linchpin (LICENSE-APACHE)", "vscode-languageclient ", "vscode-jsonrpc "]) {
    assert.ok(text.includes(name), name);
  }
});

/** An editor that has everything and does nothing, except for what is given. */
function editor(real) {
  // A promise would wait for `then`, and symbols mean something to the language itself.
  const real_key = (target, key) => key in target || typeof key === "symbol" || key === "then";
  const anything = () => {
    class Anything {}
    const inherited = { get: (target, key) => (real_key(target, key) ? target[key] : anything()) };
    Object.setPrototypeOf(Anything.prototype, new Proxy({}, inherited));
    return new Proxy(Anything, {
      get: (target, key) => (real_key(target, key) ? target[key] : anything()),
      apply: () => anything(),
      construct: (target, _, made) => Reflect.construct(target, [], made),
    });
  };
  const beside = (part) =>
    new Proxy(part, {
      get: (target, key) => {
        const there = real_key(target, key) ? target[key] : anything();
        return there && Object.getPrototypeOf(there) === Object.prototype ? beside(there) : there;
      },
    });
  return beside(real);
}

test("the extension starts, registers its commands and says so if there is no server", async () => {
  const commands = new Map();
  const messages = [];
  const lenses = [];
  const fake = editor({
    commands: { registerCommand: (name, run) => (commands.set(name, run), { dispose() {} }) },
    workspace: {
      getConfiguration: () => ({ get: (key) => ({ path: "/nowhere/linchpin", checkSeconds: 7 })[key] }),
      onDidChangeConfiguration: () => ({ dispose() {} }),
    },
    window: {
      activeTextEditor: undefined,
      showErrorMessage: async (message) => void messages.push(message),
      createOutputChannel: () => ({ appendLine() {}, append() {}, info() {}, error() {}, warn() {}, show() {}, dispose() {} }),
    },
    languages: { registerCodeLensProvider: (_, provider) => (lenses.push(provider), { dispose() {} }) },
    env: { language: "en", appName: "test" },
    version: "1.91.0",
  });
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? fake : load(name, ...rest));
  try {
    const { activate, deactivate } = require(join(extension, manifest.main));
    const context = { subscriptions: [] };
    await activate(context);
    const declared = manifest.contributes.commands.map((c) => c.command).sort();
    assert.deepEqual([...commands.keys()].sort(), declared);
    const ours = messages.filter((m) => /`\/nowhere\/linchpin lsp` could not be started/.test(m));
    assert.equal(ours.length, 1, messages.join("\n"));
    await commands.get("linchpin.checkFile")();
    await commands.get("linchpin.openReport")();
    await commands.get("linchpin.explore")();
    assert.equal(lenses.length, 1);
    await deactivate();
  } finally {
    Module._load = load;
  }
});

test("a report is asked for as the command line wants it, and exit codes are understood", async () => {
  const folder = mkdtempSync(join(tmpdir(), "linchpin-test-"));
  try {
    const outfile = join(folder, "report.cjs");
    await esbuild.build({ entryPoints: [join(extension, "src/report.ts")], outfile, format: "cjs", logLevel: "error" });
    const { ended, reportArguments, reportName } = require(outfile);
    assert.deepEqual(reportArguments("a b.lin", "r.html"), ["check", "a b.lin", "--format", "html", "--output", "r.html"]);
    for (const code of [0, 1, 3]) {
      assert.deepEqual(ended(code, ""), { written: true });
    }
    const stderr = "warning: x\n\u001b[1merror[E020]: `x` is not declared\u001b[0m\n --> a.lin";
    assert.deepEqual(ended(2, stderr), { written: false, why: "`x` is not declared" });
    assert.deepEqual(ended(4, ""), { written: false, why: "linchpin ended with code 4" });
    assert.deepEqual(ended(null, ""), { written: false, why: "linchpin ended with code none" });
    assert.match(reportName("/home/x/My Stack.lin"), /^linchpin-My_Stack-[0-9a-f]+\.html$/);
    assert.notEqual(reportName("/a/s.lin"), reportName("/b/s.lin"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a page is asked for, found in what was printed, and shown in a frame that may show nothing else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "linchpin-test-"));
  try {
    const outfile = join(folder, "explore.cjs");
    await esbuild.build({ entryPoints: [join(extension, "src/explore.ts")], outfile, format: "cjs", logLevel: "error" });
    const { addressIn, checksIn, exploreArguments, frame } = require(outfile);
    assert.deepEqual(exploreArguments("a b.lin"), ["explore", "a b.lin"]);
    assert.deepEqual(exploreArguments("a.lin", "C"), ["explore", "a.lin", "--check", "C"]);
    const address = "http://127.0.0.1:40123/0123456789abcdef/";
    assert.equal(addressIn(`note\n${address}\n`), address);
    for (const other of ["", "http://127.0.0.1:40123/01", "http://evil.example/0123/", "http://127.0.0.1:1/<b>/"]) {
      assert.equal(addressIn(other), undefined, other);
    }
    const html = frame(address);
    assert.match(html, /default-src 'none'; frame-src http:\/\/127\.0\.0\.1:40123; style-src/);
    assert.ok(html.includes(`<iframe src="${address}"`) && !html.includes("<script"));
    assert.deepEqual(checksIn("// check No\ncheck A: B against C\n  check D/x\n"), [{ line: 1, name: "A" }, { line: 2, name: "D" }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("snippets have what the editor needs", () => {
  const snippets = JSON.parse(readFileSync(join(extension, "snippets/lin.json"), "utf8"));
  const prefixes = Object.values(snippets).map((s) => s.prefix);
  assert.equal(new Set(prefixes).size, prefixes.length);
  for (const [name, snippet] of Object.entries(snippets)) {
    assert.ok(snippet.description && Array.isArray(snippet.body) && snippet.body.length > 0, name);
  }
});
