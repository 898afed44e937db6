// The report of a file: how `linchpin check` is called for it, and what its exit code means.
// Nothing here needs the editor, so that it can be tested without one.

/** The arguments that write a report of a model to a file. */
export function reportArguments(model: string, report: string): string[] {
  return ["check", model, "--format", "html", "--output", report];
}

/** What became of a report. */
export type Ended = { written: true } | { written: false; why: string };

/**
 * What an exit code means: 0, 1 and 3 are verdicts (everything holds, violated, unknown), so there is a
 * report. Otherwise the first line that says what is wrong is passed on.
 */
export function ended(code: number | null, stderr: string): Ended {
  if (code === 0 || code === 1 || code === 3) {
    return { written: true };
  }
  const plain = stderr.replace(/\u001b\[[0-9;]*m/g, "");
  const line = plain.split("\n").find((l) => /^error\b/.test(l.trim())) ?? plain.trim().split("\n")[0];
  const why = line.trim().replace(/^error(\[\w+\])?:\s*/, "");
  return { written: false, why: why || `linchpin ended with code ${code ?? "none"}` };
}

/** A name for the report of a model that is the same every time, so that a browser shows it anew. */
export function reportName(model: string): string {
  let hash = 5381;
  for (const unit of model) {
    hash = (hash * 33 + unit.codePointAt(0)!) >>> 0;
  }
  const base = model.replace(/^.*[\\/]/, "").replace(/\.lin$/, "").replace(/[^\w.-]/g, "_");
  return `linchpin-${base}-${hash.toString(16)}.html`;
}
