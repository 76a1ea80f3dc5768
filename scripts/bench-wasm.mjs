// Measures the model in wasm under Node, as the page ships it, beside a plain
// loop that is compiled for speed, in the same run. Prints medians and ratios.
// QUEUE_LAB_PROFILE builds with another profile than the page's.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const ROUNDS = 7;
const MESSAGES = 200_000;
const MANY = 10_000_000;

const project = fileURLToPath(new URL("..", import.meta.url));
const target = env.CARGO_TARGET_DIR ?? join(project, "target");
const profile = env.QUEUE_LAB_PROFILE ?? "page";

function run(command, ...args) {
  const path = [join(project, ".tools/bin"), env.PATH].join(delimiter);
  execFileSync(command, args, { cwd: project, env: { ...env, PATH: path }, stdio: ["ignore", "ignore", "inherit"] });
}

/** The flags with which the page's wasm is made smaller. */
function shippedFlags() {
  const page = readFileSync(join(project, "index.html"), "utf8");
  return /data-wasm-opt-params="([^"]*)"/.exec(page)[1].split(" ");
}

function build() {
  const out = join(target, "bench-wasm");
  mkdirSync(out, { recursive: true });
  console.log(`Building with the profile "${profile}"…`);
  run("cargo", "build", "--quiet", "--profile", profile, "--target", "wasm32-unknown-unknown", "--example", "speed");
  run("wasm-bindgen", "--target", "nodejs", "--no-typescript", "--out-dir", out, join(target, "wasm32-unknown-unknown", profile, "examples/speed.wasm"));
  // The glue for Node is CommonJS, whatever the project around it is.
  writeFileSync(join(out, "package.json"), '{ "type": "commonjs" }\n');
  const wasm = join(out, "speed_bg.wasm");
  run("wasm-opt", ...shippedFlags(), wasm, "-o", wasm);
  console.log(`${statSync(wasm).size} bytes of wasm`);
  return createRequire(import.meta.url)(join(out, "speed.js"));
}

function nanosecondsEach(play, workload, messages) {
  const began = performance.now();
  play(workload, messages);
  return ((performance.now() - began) * 1e6) / messages;
}

const median = (samples) => samples.toSorted((left, right) => left - right)[Math.floor(samples.length / 2)];
const row = (name, ...cells) => console.log(name.padEnd(22) + cells.map((cell) => cell.padStart(13)).join(""));

function compare(wasm, name, workload, messages, rounds) {
  const [model, plain] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    model.push(nanosecondsEach(wasm.model, workload, messages));
    plain.push(nanosecondsEach(wasm.plain_loop, workload, messages));
  }
  const ratio = median(model) / median(plain);
  row(name, median(model).toFixed(1), median(plain).toFixed(1), ratio.toFixed(2));
}

const wasm = env.QUEUE_LAB_BUILT ? createRequire(import.meta.url)(join(target, "bench-wasm/speed.js")) : build();
row("ns a message, median", "model", "plain loop", "ratio");
wasm.workloads().split(";").forEach((name, workload) => compare(wasm, name, workload, MESSAGES, ROUNDS));
compare(wasm, "ten million messages", 0, MANY, 3);
