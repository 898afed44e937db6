// The extension: starts the language server and adds the commands that need the editor.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type ServerOptions } from "vscode-languageclient/node";

import { addressIn, checksIn, exploreArguments, frame } from "./explore";
import { ended, reportArguments, reportName } from "./report";

/** Languages that the server knows; those with something to check come first. */
const CHECKED = ["linchpin", "linchpin-csp"];
const LANGUAGES = [...CHECKED, "linchpin-mcrl2"];
let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, run: (check?: string) => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command("linchpin.checkFile", checkFile);
  command("linchpin.openReport", () => openReport());
  command("linchpin.explore", (check) => explore(typeof check === "string" ? check : undefined));
  command("linchpin.restartServer", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("linchpin.path") || change.affectsConfiguration("linchpin.checkSeconds")) {
        await restart();
      }
    }),
  );
  context.subscriptions.push(
    vscode.languages.registerCodeLensProvider({ language: CHECKED[0] }, { provideCodeLenses }),
    { dispose: () => served.forEach((child) => child.kill()) },
  );
  await start();
}

/** Above every check: the report of the file, and the page with the executions of this check. */
function provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  return checksIn(document.getText()).flatMap(({ line, name }) => {
    const range = new vscode.Range(line, 0, line, 0);
    return [
      new vscode.CodeLens(range, { title: "Open report", command: "linchpin.openReport" }),
      new vscode.CodeLens(range, { title: "Explore", command: "linchpin.explore", arguments: [name] }),
    ];
  });
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

function program(): string {
  return vscode.workspace.getConfiguration("linchpin").get<string>("path") || "linchpin";
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: program(), args: ["lsp"] };
  const checkSeconds = vscode.workspace.getConfiguration("linchpin").get<number>("checkSeconds");
  client = new LanguageClient("linchpin", "Linchpin", server, {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    initializationOptions: { checkSeconds },
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = "Open Settings";
    const chosen = await vscode.window.showErrorMessage(
      `\`${program()} lsp\` could not be started: ${error instanceof Error ? error.message : error}`,
      settings,
    );
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "linchpin.path");
    }
  }
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

/** The model in the active editor. */
function model(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && CHECKED.includes(document.languageId) ? document : undefined;
}

async function checkFile(): Promise<void> {
  const document = model();
  if (document && client) {
    // The server registers `linchpin.check`; the verdicts appear in the text.
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    await vscode.commands.executeCommand("linchpin.check", { uri });
  }
}

/** The file of the model in the active editor, as it is there. */
async function saved(): Promise<string | undefined> {
  const document = model();
  if (!document || (document.isDirty && !(await document.save()))) {
    return undefined;
  }
  if (document.uri.scheme !== "file") {
    vscode.window.showErrorMessage("This needs a file; save the model first.");
    return undefined;
  }
  return document.uri.fsPath;
}

/** A panel beside the text. */
function panel(title: string, html: string): vscode.WebviewPanel {
  const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
  const made = vscode.window.createWebviewPanel("linchpin", title, vscode.ViewColumn.Beside, options);
  made.webview.html = html;
  return made;
}

async function openReport(): Promise<void> {
  const path = await saved();
  if (!path) {
    return;
  }
  const report = join(tmpdir(), reportName(path));
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: "Linchpin: writing the report",
    cancellable: true,
  };
  await vscode.window.withProgress(progress, async (_, token) => {
    const result = await run(program(), reportArguments(path, report), token);
    if (token.isCancellationRequested) {
      return;
    }
    if (result.written) {
      // The page forbids itself everything but its own script.
      panel(`Report: ${basename(path)}`, await readFile(report, "utf8"));
    } else {
      vscode.window.showErrorMessage(`Linchpin: ${result.why}`);
    }
  });
}

/** Programs that serve pages. */
const served = new Set<ChildProcess>();

/** Starts `linchpin explore` and shows its page; the program ends with the panel. */
async function explore(check?: string): Promise<void> {
  const path = await saved();
  if (!path) {
    return;
  }
  const child = spawn(program(), exploreArguments(path, check), { stdio: ["ignore", "pipe", "pipe"] });
  served.add(child);
  let output = "", complaints = "", shown: vscode.WebviewPanel | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const address = shown ? undefined : addressIn(output);
    if (address) {
      shown = panel(`Explore: ${basename(path)}`, frame(address));
      shown.onDidDispose(() => child.kill());
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => { complaints += text; });
  const failed = (why: string) => {
    served.delete(child);
    if (!shown) {
      vscode.window.showErrorMessage(`Linchpin: ${why}`);
    }
  };
  child.on("error", (error) => failed(error.message));
  child.on("exit", (code) => {
    const result = ended(code === 0 ? 4 : code, complaints);
    failed(result.written ? "the page has ended" : result.why);
  });
}

/** Runs a program to its end, or until it is not wanted any more. */
function run(command: string, args: string[], token: vscode.CancellationToken) {
  return new Promise<ReturnType<typeof ended>>((resolve) => {
    const child = execFile(command, args, (error, _out, stderr) => {
      const failed = error && typeof error.code !== "number";
      resolve(failed ? { written: false, why: error.message } : ended(child.exitCode, stderr));
    });
    token.onCancellationRequested(() => child.kill("SIGINT"));
  });
}
