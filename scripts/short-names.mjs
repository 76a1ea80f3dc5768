// Gives short names to what the wasm and its glue take from each other. wasm-bindgen's names
// end in hashes, which no compression makes smaller.
import { Reader, sections, skipImport } from "./wasm-sizes.mjs";

const IMPORT = 2, EXPORT = 7;
const HEADER_BYTES = 8;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Both with short names: { wasm, glue }. */
export function shortenNames(wasm, glue) {
  const names = new Names();
  let from = HEADER_BYTES;
  const rewritten = sections(wasm).map(({ id, start, end }) => {
    const whole = wasm.subarray(from, end);
    from = end;
    if (id === IMPORT) return section(id, imports(new Reader(wasm, start), names));
    if (id === EXPORT) return section(id, exports(new Reader(wasm, start), names));
    return whole;
  });
  return { wasm: Buffer.concat([wasm.subarray(0, HEADER_BYTES), ...rewritten]), glue: names.renameIn(glue) };
}

/** What was called what, and is called what now. */
class Names {
  words = new Map();
  modules = new Map();

  of(word) {
    return short(this.words, word);
  }

  module(path) {
    return short(this.modules, path);
  }

  renameIn(glue) {
    const renamed = glue.replace(/[\w$]+/g, (word) => this.words.get(word) ?? word);
    const paths = [...this.modules].map(([path, name]) => [JSON.stringify(path), JSON.stringify(name)]);
    return paths.reduce((text, [path, name]) => text.replaceAll(path, () => name), renamed);
  }
}

function short(names, name) {
  if (!names.has(name)) names.set(name, letters(names.size));
  return names.get(name);
}

function letters(index) {
  const rest = Math.floor(index / LETTERS.length);
  return (rest > 0 ? letters(rest - 1) : "") + LETTERS[index % LETTERS.length];
}

function imports(reader, names) {
  const count = reader.number();
  const entries = Array.from({ length: count }, () => {
    const from = [names.module(reader.text()), names.of(reader.text())];
    const start = reader.at;
    skipImport(reader);
    return Buffer.concat([...from.map(text), reader.bytes.subarray(start, reader.at)]);
  });
  return Buffer.concat([number(count), ...entries]);
}

/** Only names with two underscores are the glue's own; the others are for people. */
function exports(reader, names) {
  const count = reader.number();
  const entries = Array.from({ length: count }, () => {
    const name = reader.text();
    const start = reader.at;
    reader.at += 1;
    reader.number();
    const exported = name.includes("__") ? names.of(name) : name;
    return Buffer.concat([text(exported), reader.bytes.subarray(start, reader.at)]);
  });
  return Buffer.concat([number(count), ...entries]);
}

/** A section of a wasm. */
export function section(id, content) {
  return Buffer.concat([Buffer.of(id), number(content.length), content]);
}

/** An unsigned number as a wasm has it. */
export function number(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.of(...bytes, rest);
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}
