// Trunk runs this after each build, on the folder that becomes dist/. It makes
// the glue a module that several instances can share, puts the styles into the
// loader and the picture into the page, and refuses any file beyond the four.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkFiles } from "./check-dist.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));
const staging = process.env.TRUNK_STAGING_DIR;

/** Removes comments and indentation; strings stay as they are. */
export function minifyCss(css) {
  const parts = css.split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\*[\s\S]*?\*\/)/);
  const kept = parts.map((part, index) => {
    if (index % 2 === 0) return part.replace(/\s+/g, " ").replace(/ ?([{};]) ?/g, "$1").replace(/;}/g, "}");
    return part.startsWith("/*") ? "" : part;
  });
  return kept.join("").trim();
}

/** Each call of the factory makes an instance with its own memory. */
export function wrapGlue(glue) {
  return `export default function () {\n${glue}\nreturn wasm_bindgen;\n}\n`;
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

function rewrite(name, change) {
  const path = join(staging, name);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

function main() {
  rewrite("queue-lab.js", wrapGlue);
  rewrite("embed.js", (text) => fillStyles(text, {
    STYLES: readIfThere("static/styles/widget.css"),
    FRAME_STYLES: read("static/styles/frame.css"),
    PAGE_STYLES: read("static/styles/page.css"),
  }));
  rewrite("index.html", (text) => fillPage(text, readIfThere("static/fallback.svg")));
  checkFiles(staging);
}

if (staging) main();
