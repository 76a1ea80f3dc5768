// Exits with 0 if the named npm packages are installed in the versions that
// package.json names. Much quicker than asking npm.
import { readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));

function isCurrent(name, version) {
  try {
    return read(`node_modules/${name}/package.json`).version === version;
  } catch {
    return false;
  }
}

const { dependencies, devDependencies } = read("package.json");
const wanted = { ...dependencies, ...devDependencies };
process.exitCode = process.argv.slice(2).every((name) => isCurrent(name, wanted[name])) ? 0 : 1;
