// Builds one of the crate's wasm benchmarks as the page is built, for a script
// that runs it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const target = env.CARGO_TARGET_DIR ?? join(project, "target");

/** With another profile than the page's, where QUEUE_LAB_PROFILE names one. */
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

/** Builds the example `name` with glue for "nodejs" or "web"; answers with the folder that has both. */
export function buildExample(name, glue) {
  const out = join(target, "bench-wasm");
  mkdirSync(out, { recursive: true });
  if (env.QUEUE_LAB_BUILT) return out;
  console.log(`Building ${name} with the profile "${profile}"…`);
  run("cargo", "build", "--quiet", "--profile", profile, "--target", "wasm32-unknown-unknown", "--example", name);
  run("wasm-bindgen", "--target", glue, "--no-typescript", "--out-dir", out, join(target, "wasm32-unknown-unknown", profile, "examples", `${name}.wasm`));
  // The glue for Node is CommonJS, whatever the project around it is.
  writeFileSync(join(out, "package.json"), '{ "type": "commonjs" }\n');
  const wasm = join(out, `${name}_bg.wasm`);
  run("wasm-opt", ...shippedFlags(), wasm, "-o", wasm);
  console.log(`${statSync(wasm).size} bytes of wasm`);
  return out;
}
