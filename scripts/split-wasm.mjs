// Splits the simulation in two: the first part, which shows the first screen, and
// the rest, which is fetched right after it. Both work on one memory.
//
// In the first part a function of the rest is a few bytes: it sees to it that the rest
// is there, and calls it through the table `rest`. The rest takes everything else from
// the first part, by number. Which functions are first is a recording of what the first
// screen really calls: scripts/record-first-part.mjs.
import binaryen from "binaryen";
import { number, section } from "./short-names.mjs";
import { Reader, sections, skipImport } from "./wasm-sizes.mjs";

/** What the first part imports: a function that makes the rest, and returns once it is there. */
export const LOADER = { module: "rest", name: "make" };
/** The module whose parts the rest imports. */
export const FIRST = "first";

const CUSTOM = 0, IMPORT = 2, DATA = 11, DATA_COUNT = 12;
const FUNCTION = 0, EXACT_FUNCTION = 32;
const HEADER_BYTES = 8;

/** A function's name without what changes with every compiler and every edit: hashes of crates and instances, numbers of closures. */
export function steadyName(name) {
  return name.replace(/::h[0-9a-f]{16}(?=\.|$)/g, "").replace(/\[[0-9a-f]{8,}\]/g, "").replace(/\.\d+$/, "").replace(/shim_idx: \d+/, "shim_idx: _");
}

/** wasm-bindgen's small adapters have numbers for names, which change with every build. They are first. */
function hasNoName(name) {
  return /^\d+$/.test(name);
}

/**
 * Both parts of a wasm with names: { first, rest }. `isFirst` is asked for each steady name. The
 * `texts` are bytes that only functions of the rest read; they are in its data. Both carry the
 * name of the build.
 */
export function splitWasm(wasm, isFirst, texts = [], build = "build") {
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  const isInRest = ({ module, name }) => module === "" && !hasNoName(name) && !isFirst(steadyName(name));
  const moved = functionsOf(binaryen.readBinary(wasm)).filter(isInRest);
  const called = calledFromFirst(wasm, moved);
  const rest = restOf(wasm, isInRest, called);
  const first = firstOf(wasm, moved, called, takenBy(rest));
  for (const part of [first, rest]) nameBuild(part, build);
  return withData(Buffer.from(first.emitBinary()), Buffer.from(rest.emitBinary()), texts);
}

/** The build is named by something that is exported, which a compiled module tells before it runs. */
export function nameBuild(module, build) {
  module.addGlobal(build, binaryen.i32, false, module.i32.const(0));
  module.addGlobalExport(build, build);
}

function functionsOf(module) {
  return Array.from({ length: module.getNumFunctions() }, (_, index) => binaryen.getFunctionInfo(module.getFunctionByIndex(index)));
}

function tablesOf(module) {
  return Array.from({ length: module.getNumTables() }, (_, index) => binaryen.getTableInfo(module.getTableByIndex(index)));
}

function globalsOf(module) {
  return Array.from({ length: module.getNumGlobals() }, (_, index) => binaryen.getGlobalInfo(module.getGlobalByIndex(index)));
}

/** Those of the moved functions that something in the first part calls or holds, even if only the rest uses that. */
function calledFromFirst(wasm, moved) {
  const module = binaryen.readBinary(wasm);
  const isMoved = new Set(moved.map(({ name }) => name));
  for (const { name } of moved) setBody(module, name, module.unreachable());
  for (const { name } of functionsOf(module)) if (!isMoved.has(name)) module.addFunctionExport(name, `kept ${name}`);
  for (const { name } of tablesOf(module)) module.addTableExport(name, `kept table ${name}`);
  module.runPasses(["remove-unused-module-elements"]);
  const left = new Set(functionsOf(module).map(({ name }) => name));
  return moved.filter(({ name }) => left.has(name));
}

function setBody(module, name, body) {
  binaryen._BinaryenFunctionSetBody(module.getFunction(name), body);
}

/** The rest: it holds the moved functions, and imports all that they use. */
function restOf(wasm, isInRest, called) {
  const module = binaryen.readBinary(wasm);
  const functions = functionsOf(module);
  for (let index = module.getNumExports() - 1; index >= 0; index -= 1) {
    module.removeExport(binaryen.getExportInfo(module.getExportByIndex(index)).name);
  }
  for (let index = module.getNumElementSegments() - 1; index >= 0; index -= 1) {
    module.removeElementSegment(binaryen.getElementSegmentInfo(module.getElementSegmentByIndex(index)).name);
  }
  functions.forEach((info, index) => {
    if (!isInRest(info)) module.addFunctionImport(info.name, FIRST, String(index), info.params, info.results);
  });
  for (const { name } of tablesOf(module)) module.addTableImport(name, FIRST, `t${name}`);
  for (const { name, type, mutable } of globalsOf(module)) module.addGlobalImport(name, FIRST, `g${name}`, type, mutable);
  module.addMemoryImport(module.getMemoryInfo().name ?? "0", FIRST, "memory");
  addTable(module, called.length);
  module.addTableImport(LOADER.module, FIRST, LOADER.module);
  module.addActiveElementSegment(LOADER.module, LOADER.module, called.map(({ name }) => name), module.i32.const(0));
  module.runPasses(["remove-unused-module-elements", "reorder-functions"]);
  return module;
}

function addTable(module, size) {
  module.addTable(LOADER.module, size, size, binaryen.funcref);
}

/** What the rest imports, by the name that both modules know: { functions, tables, globals }. */
function takenBy(rest) {
  const taken = (infos) => infos.filter(({ module }) => module === FIRST);
  return { functions: taken(functionsOf(rest)), tables: taken(tablesOf(rest)), globals: taken(globalsOf(rest)) };
}

/** The first part: its own functions, and a few bytes for each function of the rest that it calls. */
function firstOf(wasm, moved, called, taken) {
  const module = binaryen.readBinary(wasm);
  addTable(module, called.length);
  module.addTableExport(LOADER.module, LOADER.module);
  addLoader(module);
  for (const { name } of moved) setBody(module, name, module.unreachable());
  called.forEach((info, slot) => setBody(module, info.name, call(module, info, slot)));
  for (const { name, base } of taken.functions) module.addFunctionExport(name, base);
  for (const { name, base } of taken.tables) if (base !== LOADER.module) module.addTableExport(name, base);
  for (const { name, base } of taken.globals) module.addGlobalExport(name, base);
  module.runPasses(["remove-unused-module-elements", "reorder-functions"]);
  return module;
}

const IS_THERE = "rest-is-there", SEE_TO_IT = "see-to-the-rest", MAKE = "make-the-rest";

function addLoader(module) {
  const { none, i32 } = binaryen;
  module.addGlobal(IS_THERE, i32, true, module.i32.const(0));
  module.addFunctionImport(MAKE, LOADER.module, LOADER.name, none, none);
  module.addFunction(SEE_TO_IT, none, none, [], module.block(null, [
    module.call(MAKE, [], none),
    module.global.set(IS_THERE, module.i32.const(1)),
  ]));
}

function call(module, { params, results }, slot) {
  const given = binaryen.expandType(params).map((type, index) => module.local.get(index, type));
  const isMissing = module.i32.eqz(module.global.get(IS_THERE, binaryen.i32));
  return module.block(null, [
    module.if(isMissing, module.call(SEE_TO_IT, [], binaryen.none)),
    module.call_indirect(LOADER.module, module.i32.const(slot), given, params, results),
  ], results);
}

/** Both parts without names, each with the data that it puts in place. */
function withData(first, rest, texts) {
  const segments = dataOf(first);
  const moved = texts.map((text) => placeOf(segments, text));
  const kept = moved.reduce((left, { from, bytes }) => left.flatMap((segment) => cut(segment, from, from + bytes.length)), segments);
  return { first: rewritten(first, kept), rest: rewritten(rest, moved) };
}

/** Where in memory the text is, which has to be in the data exactly once. */
function placeOf(segments, text) {
  const found = segments.flatMap(({ from, bytes }) => {
    const at = bytes.indexOf(text);
    if (at >= 0 && bytes.indexOf(text, at + 1) >= 0) throw new Error(`twice in the wasm: ${text.subarray(0, 60)}`);
    return at < 0 ? [] : [{ from: from + at, bytes: text }];
  });
  if (found.length !== 1) throw new Error(`${found.length} times in the wasm: ${text.subarray(0, 60)}`);
  return found[0];
}

/** What is left of a segment without the addresses from `start` to `end`. */
function cut({ from, bytes }, start, end) {
  const pieces = [
    { from, bytes: bytes.subarray(0, Math.max(0, start - from)) },
    { from: Math.max(from, end), bytes: bytes.subarray(Math.max(0, end - from)) },
  ];
  return start >= from + bytes.length || end <= from ? [{ from, bytes }] : pieces.filter((piece) => piece.bytes.length > 0);
}

const I32_CONST = 0x41, END = 0x0b;

/** The segments of data, each with the address it goes to. */
function dataOf(wasm) {
  const { start } = sections(wasm).find(({ id }) => id === DATA);
  const reader = new Reader(wasm, start);
  return Array.from({ length: reader.number() }, () => {
    if (reader.number() !== 0 || wasm[reader.at++] !== I32_CONST) throw new Error("data in a place that is not a constant");
    const from = reader.number();
    reader.at += 1;
    const length = reader.number();
    reader.at += length;
    return { from, bytes: wasm.subarray(reader.at - length, reader.at) };
  });
}

function dataSection(segments) {
  const parts = segments.flatMap(({ from, bytes }) => [number(0), Buffer.of(I32_CONST), address(from), Buffer.of(END), number(bytes.length), bytes]);
  return section(DATA, Buffer.concat([number(segments.length), ...parts]));
}

/** As a signed number: its highest bit would be its sign. */
function address(value) {
  const bytes = number(value);
  const last = bytes.length - 1;
  return bytes[last] < 64 ? bytes : Buffer.concat([bytes.subarray(0, last), Buffer.of(bytes[last] | 128, 0)]);
}

/** The wasm with other data, and without names. */
function rewritten(wasm, segments) {
  const parts = [wasm.subarray(0, HEADER_BYTES)];
  let from = HEADER_BYTES;
  for (const { id, start, end } of sections(wasm)) {
    if (id === IMPORT) importPlainly(new Reader(wasm, start));
    if (![CUSTOM, DATA, DATA_COUNT].includes(id)) parts.push(wasm.subarray(from, end));
    from = end;
  }
  return Buffer.concat([...parts, dataSection(segments)]);
}

/** Functions that binaryen made imports of say "exactly this type", a proposal that browsers do not know. */
function importPlainly(reader) {
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.text();
    reader.text();
    if (reader.bytes[reader.at] === EXACT_FUNCTION) reader.bytes[reader.at] = FUNCTION;
    skipImport(reader);
  }
}
