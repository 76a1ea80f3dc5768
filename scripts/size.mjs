// Prints what the first screen costs, file by file, and the rest, which comes right after
// it; fails above the budget. With --ceiling it fails only above what has been reached so far.
// With --crates it also builds a wasm that keeps its names and prints what each
// crate, and each module of this one, costs in it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { argv, env, exit } from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { FIRST_LOAD, REST } from "./check-dist.mjs";
import { sizesByCrate } from "./wasm-sizes.mjs";

/** All files, brotli -q 11, in bytes (1 kB = 1000 bytes). */
const BUDGET = 120_000;

/**
 * What the tests refuse until the budget is met: the four files of the first screen, and all five.
 * Lower these with every change that allows it.
 */
const CEILINGS = { first: 149_300, all: 461_500 };

const project = fileURLToPath(new URL("..", import.meta.url));

const brotli = (bytes) => brotliCompressSync(bytes, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
});

function measure(name) {
  const bytes = readFileSync(join(project, "dist", name));
  return [name, bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes).length];
}

const number = (value) => value.toLocaleString("en").padStart(11);
const row = ([name, ...numbers]) => name.padEnd(28) + numbers.map(number).join("");

/** Both sums, brotli: { first, all }. */
function printFiles() {
  const files = FIRST_LOAD.map(measure);
  const first = sum("first screen", files);
  const rest = measure(REST);
  const all = sum("all", [first, rest]);
  console.log("bytes".padEnd(28) + ["raw", "gzip -9", "brotli 11"].map((name) => name.padStart(11)).join(""));
  for (const file of [...files, first, rest, all]) console.log(row(file));
  return { first: first[3], all: all[3] };
}

function sum(name, files) {
  return [name, ...[1, 2, 3].map((column) => files.reduce((total, file) => total + file[column], 0))];
}

/** The shipped pipeline, except that every step keeps the function names. */
function buildNamed() {
  const path = [join(project, ".tools/bin"), env.PATH].join(delimiter);
  const run = (command, ...args) => execFileSync(command, args, { cwd: project, env: { ...env, PATH: path }, stdio: ["ignore", "ignore", "inherit"] });
  const target = env.CARGO_TARGET_DIR ?? join(project, "target");
  const out = join(target, "size-report");
  mkdirSync(out, { recursive: true });
  console.log("\nBuilding once more with names, to tell the crates apart (about 1 minute)…");
  run("cargo", "build", "--quiet", "--profile", "size", "--target", "wasm32-unknown-unknown", "--bin", "queue-lab");
  run("wasm-bindgen", "--target", "no-modules", "--no-typescript", "--out-dir", out, join(target, "wasm32-unknown-unknown/size/queue-lab.wasm"));
  run("wasm-opt", "-Oz", "-g", join(out, "queue-lab_bg.wasm"), "-o", join(out, "queue-lab_named.wasm"));
  return readFileSync(join(out, "queue-lab_named.wasm"));
}

function printCrates() {
  const { groups, total } = sizesByCrate(buildNamed());
  console.log("wasm, bytes before compression".padEnd(39) + "share");
  for (const [name, size] of groups) console.log(row([name, size]) + `${((100 * size) / total).toFixed(1)} %`.padStart(10));
  console.log(row(["all", total]));
}

const { first, all } = printFiles();
if (argv.includes("--crates")) printCrates();
const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
console.log(`\nAll files are ${kilobytes(all)} kB brotli; the budget is ${BUDGET / 1000} kB. The first screen takes ${kilobytes(first)} kB of them.`);
const limits = argv.includes("--ceiling") ? CEILINGS : { first: BUDGET, all: BUDGET };
if (first > limits.first || all > limits.all) {
  console.log(`They may not exceed ${kilobytes(limits.all)} kB, nor the first screen ${kilobytes(limits.first)} kB.`);
  exit(1);
}
