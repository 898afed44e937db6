// The page of `linchpin explore`: how it is started, where it is, and what shows it. Nothing here needs the editor, so that
// it can be tested without one.

/** The arguments that serve a page for a model; with the check that is shown at first, if there is one. */
export function exploreArguments(model: string, check?: string): string[] {
  return check ? ["explore", model, "--check", check] : ["explore", model];
}

/** The address in what the program has printed so far: of this machine, with a token. */
export function addressIn(output: string): string | undefined {
  return /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\/$/m.exec(output)?.[0];
}

/** A page that shows another one in a frame and can do nothing else. */
export function frame(address: string): string {
  const origin = new URL(address).origin;
  return `<!doctype html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'">
<style>html, body { margin: 0; padding: 0; height: 100%; } iframe { border: 0; width: 100%; height: 100%; background: Canvas; }</style>
</head><body><iframe src="${address}" title="Linchpin" allow="clipboard-write"></iframe></body></html>`;
}

/** A check in a model: its line, from 0, and its name. */
export type Found = { line: number; name: string };

/** The checks of a text, as far as they begin a line. */
export function checksIn(text: string): Found[] {
  return text.split("\n").flatMap((line, number) => {
    const name = /^\s*check\s+([A-Za-z_]\w*)/.exec(line)?.[1];
    return name ? [{ line: number, name }] : [];
  });
}
