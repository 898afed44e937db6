// The words of the language, as `cargo test -p linchpin-lsp --test editors` keeps them, and texts to try them on.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const extension = join(here, "..");
export const repository = join(here, "../../..");
export const words = JSON.parse(readFileSync(join(extension, "../words.json"), "utf8"));

/** The paths of all models below a folder of the repository. */
export function models(folder) {
  const entries = readdirSync(join(repository, folder), { recursive: true });
  const found = entries.filter((path) => path.endsWith(".lin")).map((path) => join(repository, folder, path));
  return found.sort();
}
