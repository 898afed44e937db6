// The licence texts that the bundled extension must carry: those of Linchpin and of every package that esbuild has put
// into the bundle (`dist/meta.json`), in `dist/LICENSE.txt`.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { inputs } = JSON.parse(readFileSync(join(here, "dist/meta.json"), "utf8"));
const packages = new Set();
for (const path of Object.keys(inputs)) {
  const folder = path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1];
  if (folder) packages.add(folder);
}

const texts = ["LICENSE-MIT", "LICENSE-APACHE"].map((file) => `Linchpin (${file})\n\n${readFileSync(join(here, "../..", file), "utf8")}`);
for (const folder of [...packages].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = existsSync(join(here, folder)) && readdirSync(join(here, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence text`);
  texts.push(`${name} ${version} (${license})\n\n${readFileSync(join(here, folder, file), "utf8")}`);
}
writeFileSync(join(here, "dist/LICENSE.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
