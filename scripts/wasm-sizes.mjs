// Reads a wasm file that has a name section and adds up its code by crate.

const CUSTOM = 0, IMPORT = 2, CODE = 10, DATA = 11;
const FUNCTION_NAMES = 1;

/** Our own modules are told apart; everything else counts by crate. */
const OWN = "queue_lab";
const STANDARD = new Set(["std", "core", "alloc", "compiler_builtins", "dlmalloc", "hashbrown", "panic_abort"]);

export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  number() {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

/** Every section as { id, name, start, end }. */
export function sections(bytes) {
  const reader = new Reader(bytes, 8);
  const found = [];
  while (reader.at < bytes.length) {
    const id = bytes[reader.at++];
    const size = reader.number();
    const end = reader.at + size;
    const name = id === CUSTOM ? reader.text() : "";
    found.push({ id, name, start: reader.at, end });
    reader.at = end;
  }
  return found;
}

function importedFunctions(bytes, section) {
  if (!section) return 0;
  const reader = new Reader(bytes, section.start);
  let functions = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    reader.text();
    reader.text();
    functions += skipImport(reader) ? 1 : 0;
  }
  return functions;
}

/** Moves past one import's description; true for a function. */
export function skipImport(reader) {
  const kind = reader.bytes[reader.at++];
  if (kind === 0 || kind === 4) { if (kind === 4) reader.at++; reader.number(); }
  if (kind === 1 || kind === 3) reader.at++;
  if (kind === 3) reader.at++;
  if (kind === 1 || kind === 2) skipLimits(reader);
  return kind === 0;
}

function skipLimits(reader) {
  const flags = reader.number();
  reader.number();
  if (flags & 1) reader.number();
}

function functionNames(bytes, section) {
  const names = new Map();
  if (!section) return names;
  const reader = new Reader(bytes, section.start);
  while (reader.at < section.end) {
    const kind = bytes[reader.at++];
    const size = reader.number();
    const end = reader.at + size;
    if (kind === FUNCTION_NAMES) {
      for (let left = reader.number(); left > 0; left -= 1) names.set(reader.number(), reader.text());
    }
    reader.at = end;
  }
  return names;
}

function bodySizes(bytes, section) {
  const reader = new Reader(bytes, section.start);
  return Array.from({ length: reader.number() }, () => {
    const before = reader.at;
    const size = reader.number();
    reader.at += size;
    return reader.at - before;
  });
}

/** A readable path from a legacy (_ZN) or v0 (_R) symbol; other names as they are. */
export function readable(symbol) {
  if (symbol.startsWith("_ZN")) return legacyPath(symbol.slice(3)).join("::").replaceAll("..", "::").replaceAll("_$LT$", "<");
  if (symbol.startsWith("_R")) return v0Path(symbol);
  return symbol;
}

function legacyPath(rest) {
  const parts = [];
  for (let match; (match = /^(\d+)/.exec(rest)); ) {
    const from = match[0].length;
    parts.push(rest.slice(from, from + Number(match[1])));
    rest = rest.slice(from + Number(match[1]));
  }
  return parts;
}

/** Enough of v0 for our purpose: the first crate root and the names after it. */
function v0Path(symbol) {
  const parts = [];
  let rest = /C(?:s[0-9A-Za-z]*_)?(\d.*)$/.exec(symbol)?.[1] ?? "";
  for (let match; (match = /^(?:s[0-9A-Za-z]*_)?(\d+)_?/.exec(rest)); ) {
    const from = match[0].length;
    parts.push(rest.slice(from, from + Number(match[1])));
    rest = rest.slice(from + Number(match[1]));
  }
  return parts.join("::");
}

/** The crates and first modules a name mentions, in order: "yew::html::X" is ["yew", "html"]. */
function pathsIn(name) {
  const plain = name.replace(/\[[0-9a-f]{8,}\]/g, "");
  return [...plain.matchAll(/(?<![:\w])([a-z_][a-z0-9_]*)::([A-Za-z_{<][\w]*)?/g)].map(([, crate, module]) => [crate, module]);
}

/** Code of the standard library that was made for a type of some crate counts for that crate. */
export function groupOf(symbol) {
  if (symbol === undefined) return "(no name)";
  const paths = pathsIn(readable(symbol));
  const [crate, module] = paths.find(([name]) => !STANDARD.has(name)) ?? paths[0] ?? [];
  if (crate === undefined) return "(runtime, glue)";
  if (crate === OWN) return `${OWN}::${/^[a-z]/.test(module ?? "") ? module : "(root)"}`;
  return STANDARD.has(crate) ? "std, core, alloc" : crate;
}

/** Bytes of code by group, largest first, with the data and all the rest as groups of their own. */
export function sizesByCrate(bytes) {
  const all = sections(bytes);
  const code = all.find(({ id }) => id === CODE);
  const names = functionNames(bytes, all.find(({ name }) => name === "name"));
  const first = importedFunctions(bytes, all.find(({ id }) => id === IMPORT));
  const sizes = new Map();
  const add = (group, size) => sizes.set(group, (sizes.get(group) ?? 0) + size);
  bodySizes(bytes, code).forEach((size, index) => add(groupOf(names.get(first + index)), size));
  for (const section of all) {
    if (section.id === CODE || section.name === "name") continue;
    add(section.id === DATA ? "(constant data)" : "(tables, types, imports)", section.end - section.start);
  }
  const groups = [...sizes].sort(([, a], [, b]) => b - a);
  return { groups, total: groups.reduce((sum, [, size]) => sum + size, 0) };
}
