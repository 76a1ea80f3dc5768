// Measures the model in wasm under Node, as the page ships it, beside a plain
// loop that is compiled for speed, in the same run. Prints medians and ratios.
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildExample } from "./wasm-example.mjs";

const ROUNDS = 7;
const MESSAGES = 200_000;
const MANY = 10_000_000;

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

const wasm = createRequire(import.meta.url)(join(buildExample("speed", "nodejs"), "speed.js"));
row("ns a message, median", "model", "plain loop", "ratio");
wasm.workloads().split(";").forEach((name, workload) => compare(wasm, name, workload, MESSAGES, ROUNDS));
compare(wasm, "ten million messages", 0, MANY, 3);
