// Trunk runs this after each build, on the folder that becomes dist/. It makes
// the glue a module that several instances can share, splits the wasm into what
// the first screen needs and the rest, puts texts and styles into the loader and
// the picture into the page, makes both scripts and the names between wasm and glue
// small, and refuses any file beyond the five.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import binaryen from "binaryen";
import { minify } from "terser";
import { withRecording } from "./call-recording.mjs";
import { checkFiles } from "./check-dist.mjs";
import { shortenNames } from "./short-names.mjs";
import { FIRST, LOADER, nameBuild, splitWasm } from "./split-wasm.mjs";

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
const ownStart = (build) => `return async (module, restModule) => {
const own = (part, file) => {
if (part && !WebAssembly.Module.exports(part).some(({ name }) => name === "${build}")) throw Object.assign(new Error(file), { code: "mixed-build" });
return part;
};
const imports = __wbg_get_imports();
let rest;
exports.complete = () => { rest ??= new WebAssembly.Instance(own(restModule(), "queue-lab_rest.wasm"), { ${FIRST}: first.exports }); };
imports.${LOADER.module} = { ${LOADER.name}() { exports.missed ||= !restModule(); exports.complete(); } };
const first = await WebAssembly.instantiate(own(module, "queue-lab_bg.wasm"), imports);
__wbg_finalize_init(first);
return exports;
};`;
const START = "return Object.assign(__wbg_init, { initSync }, exports);";
const REPLACED = [
  ["script_src = new URL(document.currentScript.src, location.href).toString();", ""],
  ["const ret = debugString(arg1);", "const ret = String(arg1);"],
];

/**
 * A module whose default export makes an instance with its own memory from the compiled first
 * part, and a function that returns the compiled rest once it is there. `complete` puts the rest
 * in place; a call that needs it does so too, and fails while it is not there. Both parts have
 * to be of the build that is named.
 */
export function wrapGlue(glue, build) {
  const own = [[START, ownStart(build)], ...REPLACED].reduce((text, [from, to]) => replaceOnce(text, from, to), glue);
  return `export default function (module, restModule) {\n${own}\nreturn wasm_bindgen(module, restModule);\n}\n`;
}

export function fillStyles(loader, styles) {
  return Object.entries(styles).reduce((text, [name, css]) => {
    const placeholder = `const ${name} = "";`;
    return replaceOnce(text, placeholder, `const ${name} = ${JSON.stringify(minifyCss(css))};`);
  }, loader);
}

export function fillTexts(loader, texts) {
  return replaceOnce(loader, "const TEXTS = {};", `const TEXTS = ${JSON.stringify(texts)};`);
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

/** Short names for both sides, then the wasm in two parts. Returns the name of the build, which both carry. */
function shortenAndSplit() {
  const [wasmPath, gluePath, restPath] = ["queue-lab_bg.wasm", "queue-lab.js", "queue-lab_rest.wasm"].map((name) => join(staging, name));
  const { wasm, glue } = shortenNames(readFileSync(wasmPath), readFileSync(gluePath, "utf8"));
  const build = `b${createHash("sha256").update(wasm).update(glue).digest("hex").slice(0, 8)}`;
  const { first, rest } = process.env.QUEUE_LAB_RECORD ? record(wasm, build) : split(wasm, build);
  writeFileSync(wasmPath, first);
  if (!process.env.QUEUE_LAB_RECORD) makeSmaller(wasmPath);
  writeFileSync(restPath, rest);
  writeFileSync(gluePath, glue);
  return build;
}

/** What every browser has that runs the page at all. */
const FEATURES = ["bulk-memory", "reference-types", "multivalue", "mutable-globals", "sign-ext", "nontrapping-float-to-int"];

/** Once the rest is gone, the first part can be made smaller once more. (The rest would only grow.) */
function makeSmaller(path) {
  const features = FEATURES.map((name) => `--enable-${name}`);
  execFileSync(join(project, "node_modules/.bin/wasm-opt"), [path, ...features, "-Oz", "-o", path], { stdio: "inherit" });
}

function split(wasm, build) {
  const firstPart = new Set(read("scripts/first-part.txt").split("\n"));
  return splitWasm(wasm, (name) => firstPart.has(name) && !READERS.test(name), textsOfTheRest(), build);
}

/** Who reads the texts of the rest. In the first part they would read zeros until the rest is there. */
const READERS = /Locale>::further_|lesson::scenario_file::|further_styles/;

/** What the program holds as text and the first screen does not show: what is said while it runs, the styles of what opens later, and the built-in scenarios. */
function textsOfTheRest() {
  const scenarios = readdirSync(join(project, "static/scenarios")).filter((name) => !/^n\d\d-/.test(name));
  const paths = ["static/locales/en/further.json", "static/styles/further.css", ...scenarios.map((name) => `static/scenarios/${name}`)];
  return paths.map((path) => readFileSync(join(project, path)));
}

/** A module with nothing in it but the name of the build. */
function emptyPart(build) {
  const module = new binaryen.Module();
  nameBuild(module, build);
  return Buffer.from(module.emitBinary());
}

/** For scripts/record-first-part.mjs: all in one part, and the names of what is counted. */
function record(wasm, build) {
  const { wasm: first, names } = withRecording(wasm, build);
  writeFileSync(join(project, "target/recorded-names.json"), JSON.stringify(names));
  return { first, rest: emptyPart(build) };
}

async function main() {
  const build = shortenAndSplit();
  await rewrite("queue-lab.js", (text) => minifyModule(wrapGlue(text, build)));
  const texts = JSON.parse(read("static/locales/en/loader.json"));
  await rewrite("embed.js", (text) => minifyModule(fillStyles(fillTexts(text, texts), {
    STYLES: readIfThere("static/styles/widget.css"),
    FRAME_STYLES: read("static/styles/frame.css"),
    PAGE_STYLES: read("static/styles/page.css"),
  })));
  await rewrite("index.html", (text) => fillPage(text, readIfThere("static/fallback.svg")));
  checkFiles(staging);
}

if (staging) await main();
