// A wasm that notes which of its functions have been called.
import binaryen from "binaryen";
import { nameBuild, steadyName } from "./split-wasm.mjs";

const PREFIX = "called ";

/** The same wasm with one exported global for each function, 1 once it has been called, and the name of the build: { wasm, names }. */
export function withRecording(wasm, build = "build") {
  const module = binaryen.readBinary(wasm);
  const names = [];
  for (let index = 0; index < module.getNumFunctions(); index += 1) {
    const made = module.getFunctionByIndex(index);
    const info = binaryen.getFunctionInfo(made);
    if (info.module === "") note(module, made, info, PREFIX + (names.push(steadyName(info.name)) - 1));
  }
  nameBuild(module, build);
  return { wasm: Buffer.from(module.emitBinary()), names };
}

function note(module, made, { body, results }, global) {
  module.addGlobal(global, binaryen.i32, true, module.i32.const(0));
  module.addGlobalExport(global, global);
  const called = module.global.set(global, module.i32.const(1));
  binaryen._BinaryenFunctionSetBody(made, module.block(null, [called, body], results));
}

/** In a page: keeps every instance, so that calledIn can read it. Runs before the page's own scripts. */
export function keepInstances() {
  const { instantiate } = WebAssembly;
  globalThis.instances = [];
  WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    globalThis.instances.push(instance);
    return instance;
  };
}

/** In a page: the run that nobody sees is left out. It goes through what Start needs, which the first screen does not. */
export function skipRehearsal() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ...rest) => {
    if (!/\brehearse\b/.test(String(act))) return setTimeout(act, ...rest);
    globalThis.skipped = true;
    return 0;
  };
}

/** In a page: the places of the functions that were called so far. */
export function calledIn() {
  const prefix = "called ";
  const called = globalThis.instances.flatMap(({ exports }) => Object.entries(exports).filter(([name, { value }]) => name.startsWith(prefix) && value === 1));
  return called.map(([name]) => Number(name.slice(prefix.length)));
}
