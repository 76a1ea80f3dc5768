// Trunk runs this after each build, on the folder that becomes dist/. It makes
// the glue a module that several instances can share, splits the wasm into what
// the first screen needs and the rest, puts the styles into the loader and the
// picture into the page, makes both scripts and the names between wasm and glue
// small, and refuses any file beyond the five.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { withRecording } from "./call-recording.mjs";
import { checkFiles } from "./check-dist.mjs";
import { shortenNames } from "./short-names.mjs";
import { FIRST, LOADER, splitWasm } from "./split-wasm.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));
const staging = process.env.TRUNK_STAGING_DIR;

/** Removes comments and blanks; strings stay as they are. */
export function minifyCss(css) {
  const parts = css.split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*[\s\S]*?\*\/)/);
  const kept = parts.map((part, index) => {
    if (index % 2 === 0) return part.replace(/\s+/g, " ").replace(/ ?([{};]) ?/g, "$1").replace(/([:,]) /g, "$1").replace(/;}/g, "}");
    return part.startsWith("/*") ? "" : part;
  });
  return kept.join("").trim();
}

/** What is replaced in the glue: its ways to load a module, and long texts of errors, of which one line is enough. */
const OWN_START = `return async (module, restModule) => {
const imports = __wbg_get_imports();
let rest;
exports.complete = () => {
rest ??= new WebAssembly.Instance(restModule(), { ${FIRST}: first.exports });
if (first.exports.${LOADER.module}?.get(0) === null) throw new Error("queue-lab_rest.wasm is of another build");
};
imports.${LOADER.module} = { ${LOADER.name}() { exports.missed ||= !restModule(); exports.complete(); } };
const first = await WebAssembly.instantiate(module, imports);
__wbg_finalize_init(first);
return exports;
};`;
const REPLACED = [
  ["return Object.assign(__wbg_init, { initSync }, exports);", OWN_START],
  ["script_src = new URL(document.currentScript.src, location.href).toString();", ""],
  ["const ret = debugString(arg1);", "const ret = String(arg1);"],
];

/**
 * A module whose default export makes an instance with its own memory from the compiled first
 * part, and a function that returns the compiled rest once it is there. `complete` puts the rest
 * in place; a call that needs it does so too, and fails while it is not there.
 */
export function wrapGlue(glue) {
  const own = REPLACED.reduce((text, [from, to]) => replaceOnce(text, from, to), glue);
  return `export default function (module, restModule) {\n${own}\nreturn wasm_bindgen(module, restModule);\n}\n`;
}

export function fillStyles(loader, styles) {
  return Object.entries(styles).reduce((text, [name, css]) => {
    const placeholder = `const ${name} = "";`;
    return replaceOnce(text, placeholder, `const ${name} = ${JSON.stringify(minifyCss(css))};`);
  }, loader);
}

export function fillPage(page, picture) {
  const clean = page.replace(/[ \t]*<link[^>]*\bdata-trunk\b[^>]*>\n?/g, "");
  return replaceOnce(clean, "<!-- fallback picture -->", picture.replace(/^<\?xml[^>]*\?>\s*/, "").trim());
}

function replaceOnce(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`expected exactly one "${from}"`);
  return text.replace(from, () => to);
}

function read(path) {
  return readFileSync(join(project, path), "utf8");
}

function readIfThere(path) {
  return existsSync(join(project, path)) ? read(path) : "";
}

/** The same module without comments, blanks and long local names. */
export async function minifyModule(text) {
  const { code } = await minify(text, { module: true, ecma: 2022, compress: { passes: 3, keep_fargs: false, unsafe_arrows: true } });
  return `${code}\n`;
}

async function rewrite(name, change) {
  const path = join(staging, name);
  writeFileSync(path, await change(readFileSync(path, "utf8")));
}

/** Short names for both sides, then the wasm in two parts. */
function shortenAndSplit() {
  const [wasmPath, gluePath, restPath] = ["queue-lab_bg.wasm", "queue-lab.js", "queue-lab_rest.wasm"].map((name) => join(staging, name));
  const { wasm, glue } = shortenNames(readFileSync(wasmPath), readFileSync(gluePath, "utf8"));
  const { first, rest } = process.env.QUEUE_LAB_RECORD ? record(wasm) : split(wasm);
  writeFileSync(wasmPath, first);
  writeFileSync(restPath, rest);
  writeFileSync(gluePath, glue);
}

function split(wasm) {
  const firstPart = new Set(read("scripts/first-part.txt").split("\n"));
  return splitWasm(wasm, (name) => firstPart.has(name) && !READERS.test(name), textsOfTheRest());
}

/** Who reads the texts of the rest. In the first part they would read zeros until the rest is there. */
const READERS = /Locale>::further_|lesson::scenario_file::/;

/** What the program holds as text and the first screen does not show: what is said while it runs, and the built-in scenarios. */
function textsOfTheRest() {
  const scenarios = readdirSync(join(project, "static/scenarios")).filter((name) => !/^n\d\d-/.test(name));
  const paths = ["static/locales/en/further.json", ...scenarios.map((name) => `static/scenarios/${name}`)];
  return paths.map((path) => readFileSync(join(project, path)));
}

/** A module with nothing in it. */
const EMPTY = Buffer.of(0, 97, 115, 109, 1, 0, 0, 0);

/** For scripts/record-first-part.mjs: all in one part, and the names of what is counted. */
function record(wasm) {
  const { wasm: first, names } = withRecording(wasm);
  writeFileSync(join(project, "target/recorded-names.json"), JSON.stringify(names));
  return { first, rest: EMPTY };
}

async function main() {
  shortenAndSplit();
  await rewrite("queue-lab.js", (text) => minifyModule(wrapGlue(text)));
  await rewrite("embed.js", (text) => minifyModule(fillStyles(text, {
    STYLES: readIfThere("static/styles/widget.css"),
    FRAME_STYLES: read("static/styles/frame.css"),
    PAGE_STYLES: read("static/styles/page.css"),
  })));
  await rewrite("index.html", (text) => fillPage(text, readIfThere("static/fallback.svg")));
  checkFiles(staging);
}

if (staging) await main();
