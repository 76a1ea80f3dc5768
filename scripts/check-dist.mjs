// Checks that a build holds the four files of the first load, the rest and nothing else,
// and that the page keeps its promises: strict policy, nothing inline.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

/** What a page fetches to show the first screen. */
export const FIRST_LOAD = ["embed.js", "index.html", "queue-lab.js", "queue-lab_bg.wasm"];
/** What it fetches right after it. */
export const REST = "queue-lab_rest.wasm";

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

export function checkFiles(folder) {
  const found = readdirSync(folder, { recursive: true }).sort();
  const expected = [...FIRST_LOAD, REST];
  if (found.join() !== expected.join()) {
    throw new Error(`the build must hold ${expected.join(", ")}; it holds ${found.join(", ")}`);
  }
}

/** What in the page breaks the policy, or would be left over from the build. */
export function faultsOf(page) {
  const rules = [
    ["the policy is not the one agreed", !page.includes(`content="${POLICY}"`)],
    ["an inline script", /<script(?![^>]*\bsrc=)/i.test(page)],
    ["a style element", /<style\b/i.test(page)],
    ["a style attribute", /<[^>]+\sstyle\s*=/i.test(page)],
    ["an inline event handler", /<[^>]+\son[a-z]+\s*=/i.test(page)],
    ["a leftover of Trunk", /data-trunk/i.test(page)],
  ];
  return rules.filter(([, broken]) => broken).map(([name]) => name);
}

function main(folder) {
  checkFiles(folder);
  const faults = faultsOf(readFileSync(join(folder, "index.html"), "utf8"));
  if (faults.length > 0) throw new Error(`index.html: ${faults.join(", ")}`);
  console.log(`${folder} holds the five files, and nothing in the page is inline.`);
}

if (argv[1] === fileURLToPath(import.meta.url)) main(argv[2] ?? "dist");
