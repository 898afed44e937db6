// The extension: starts the language server and adds the commands that need the editor.

import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type ServerOptions } from "vscode-languageclient/node";

import { ended, reportArguments, reportName } from "./report";

/** Languages that the server knows; those with something to check come first. */
const CHECKED = ["linchpin", "linchpin-csp"];
const LANGUAGES = [...CHECKED, "linchpin-mcrl2"];
let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, run: () => Promise<void>) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command("linchpin.checkFile", checkFile);
  command("linchpin.openReport", openReport);
  command("linchpin.restartServer", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("linchpin.path") || change.affectsConfiguration("linchpin.checkSeconds")) {
        await restart();
      }
    }),
  );
  await start();
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

async function openReport(): Promise<void> {
  const document = model();
  if (!document || (document.isDirty && !(await document.save()))) {
    return;
  }
  if (document.uri.scheme !== "file") {
    vscode.window.showErrorMessage("A report needs a file; save the model first.");
    return;
  }
  const path = document.uri.fsPath;
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
      await vscode.env.openExternal(vscode.Uri.file(report));
    } else {
      vscode.window.showErrorMessage(`Linchpin: ${result.why}`);
    }
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
