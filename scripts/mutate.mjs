// Breaks the model once for each entry of tests/mutations/mutations.json, in a copy, and expects
// the tests of the rules to see it. Prints a line for each and how many were seen.
//   node scripts/mutate.mjs [part of a name…]
// The copy holds the model and the reader of scenario files, so that one mutation takes half a
// minute: what a rule says has to be seen without the page.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const COPY = join(ROOT, "target", "mutations");
const MODULES = ["json", "lesson", "model"];
const COPIED = ["src/json.rs", "src/lesson", "src/model", "static/scenarios", "tests/it", "tests/vectors"];
const TESTS = ["properties", "rules", "vectors"];
// Properties of single parts, which take a moment.
const PROPERTIES = ["alerting::", "groups::", "partitioned_log::", "shortcuts::"];

function manifest() {
  const lines = readFileSync(join(ROOT, "Cargo.toml"), "utf8").split("\n");
  const version = (name) => lines.find((line) => line.startsWith(`${name} = `));
  const head = lines.slice(0, lines.indexOf("")).filter((line) => !/^(description|autobenches|publish)/.test(line));
  return [
    ...head,
    '[lib]\nname = "queue_lab"',
    '[[test]]\nname = "it"\npath = "tests/it/main.rs"',
    `[dependencies]\n${version("libm")}`,
    `[dev-dependencies]\n${version("proptest")}\n${version("serde_json")}`,
    "[workspace]",
    "[profile.test]\nopt-level = 1\ndebug = false\nincremental = true",
  ].join("\n\n");
}

function copyModel() {
  for (const folder of ["src", "static", "tests"]) rmSync(join(COPY, folder), { recursive: true, force: true });
  for (const path of COPIED) cpSync(join(ROOT, path), join(COPY, path), { recursive: true });
  writeFileSync(join(COPY, "src/lib.rs"), ["//! The model alone.\n", ...MODULES.map((name) => `pub mod ${name};\n`)].join(""));
  writeFileSync(join(COPY, "tests/it/main.rs"), TESTS.map((name) => `mod ${name};\n`).join(""));
  writeFileSync(join(COPY, "Cargo.toml"), manifest());
  cpSync(join(ROOT, "Cargo.lock"), join(COPY, "Cargo.lock"));
}

// The output of the tests, and whether they ran and which failed.
function runTests() {
  const env = { ...process.env, CARGO_TARGET_DIR: join(COPY, "target"), RUST_BACKTRACE: "0", QUEUE_LAB_RUNS: "150" };
  const run = spawnSync("cargo", ["test", "--quiet", "--test", "it", "--", "rules::", "vectors::", "any_run", ...PROPERTIES], { cwd: COPY, env, encoding: "utf8", timeout: 600_000 });
  const output = `${run.stdout}\n${run.stderr}`;
  const failed = [...output.matchAll(/^---- (\S+) stdout ----$/gm)].map((match) => match[1]);
  return { output, failed, ran: /^running \d+ tests?$/m.test(output) || run.signal !== null, ok: run.status === 0 };
}

function mutated(mutation) {
  const path = join(COPY, mutation.file);
  const before = readFileSync(path, "utf8");
  if (before.split(mutation.find).length !== 2) return { error: `its text is not in ${mutation.file} exactly once` };
  writeFileSync(path, before.replace(mutation.find, () => mutation.put));
  const run = runTests();
  writeFileSync(path, before);
  if (!run.ran) return { error: `it does not compile:\n${run.output.slice(-2000)}` };
  if (run.ok) return { error: "no test saw it" };
  return { seen: run.failed[0] ?? "a run that never ended", others: Math.max(run.failed.length - 1, 0) };
}

function main() {
  const only = process.argv.slice(2);
  const all = JSON.parse(readFileSync(join(ROOT, "tests/mutations/mutations.json"), "utf8"));
  execFileSync("cargo", ["--version"]);
  copyModel();
  const untouched = runTests();
  if (!untouched.ok) throw new Error(`The tests fail as it is:\n${untouched.output.slice(-4000)}`);
  let failed = 0;
  const chosen = all.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  for (const mutation of chosen) {
    const { error, seen, others } = mutated(mutation);
    failed += error ? 1 : 0;
    console.log(error ? `NOT SEEN  ${mutation.name}: ${error}` : `seen      ${mutation.name}: ${seen}${others ? ` and ${others} more` : ""}`);
  }
  console.log(`# pass ${chosen.length - failed}\n# fail ${failed}`);
  process.exitCode = failed || chosen.length === 0 ? 1 : 0;
}

main();
