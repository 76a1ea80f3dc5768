// The build's own steps, on small examples.
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { test } from "node:test";
import binaryen from "binaryen";
import { withRecording } from "./call-recording.mjs";
import { faultsOf } from "./check-dist.mjs";
import { fillPage, fillStyles, fillTexts, minifyCss, minifyModule, wrapGlue } from "./post-build.mjs";
import { shortenNames } from "./short-names.mjs";
import { FIRST, LOADER, nameBuild, splitWasm, steadyName } from "./split-wasm.mjs";
import { groupOf } from "./wasm-sizes.mjs";

test("styles lose comments and indentation, and nothing else", () => {
  const css = "/* why */\n.a > b,\n.c {\n  margin: calc(1px + 2px) auto;\n  content: \"/* kept;  } */\";\n}\n@media (width < 3px) {\n  .d { color: red; }\n}\n";
  assert.equal(minifyCss(css), '.a > b,.c{margin:calc(1px + 2px) auto;content:"/* kept;  } */"}@media (width < 3px){.d{color:red}}');
});

/** A module with nothing in it but the name of its build. */
function partOf(build) {
  const module = new binaryen.Module();
  nameBuild(module, build);
  return new WebAssembly.Module(module.emitBinary());
}

const GLUE = `let wasm_bindgen = (function (exports) {
  script_src = new URL(document.currentScript.src, location.href).toString();
  const __wbg_get_imports = () => ({ texts: { debug: (arg1) => { const ret = debugString(arg1); return ret; } } });
  const __wbg_finalize_init = (instance) => { exports.instance = instance; };
  return Object.assign(__wbg_init, { initSync }, exports);
})({});`;

async function startOf(build) {
  const { default: start } = await import(`data:text/javascript,${encodeURIComponent(wrapGlue(GLUE, build))}`);
  return start;
}

test("each call of the wrapped glue makes its own instance", async () => {
  const start = await startOf("b1");
  const [one, other] = [await start(partOf("b1")), await start(partOf("b1"))];
  assert.ok(one.instance instanceof WebAssembly.Instance);
  assert.notEqual(one.instance, other.instance);
  assert.throws(() => wrapGlue("let wasm_bindgen = {};", "b1"));
});

test("parts of another build are refused by name, before they do anything", async () => {
  const start = await startOf("b1");
  const ofFirst = { code: "mixed-build", message: "queue-lab_bg.wasm" };
  await assert.rejects(start(partOf("b2")), ofFirst);
  let rest;
  const wasm = await start(partOf("b1"), () => rest);
  rest = partOf("b2");
  assert.throws(() => wasm.complete(), { code: "mixed-build", message: "queue-lab_rest.wasm" });
  rest = partOf("b1");
  wasm.complete();
});

test("the loader's texts reach it as they are", () => {
  assert.equal(fillTexts("const TEXTS = {};", { a: "$& \"b\"" }), 'const TEXTS = {"a":"$& \\"b\\""};');
  assert.throws(() => fillTexts("", {}));
});

test("no text for people stands in the loader itself", () => {
  const code = readFileSync(new URL("../static/embed.js", import.meta.url), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<=\s)\/\/.*/g, "");
  const literals = code.match(/(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g);
  assert.ok(literals.length > 20);
  assert.deepEqual(literals.filter((literal) => /[a-z]+[,.]? [a-z]/i.test(literal)), []);
});

test("a module made small exports and does the same", async () => {
  const text = "/* why */ const half = 21;\nexport default function () {\n  const both = half + half; return both;\n}\n";
  const small = await minifyModule(text);
  assert.ok(small.length < text.length);
  const { default: answer } = await import(`data:text/javascript,${encodeURIComponent(small)}`);
  assert.equal(answer(), 42);
});

test("a style text reaches the loader as it is, and a missing place for it is an error", () => {
  assert.equal(fillStyles('const A = "";', { A: 'a{content:"$&"}' }), 'const A = "a{content:\\"$&\\"}";');
  assert.throws(() => fillStyles("", { A: "" }));
});

test("the page gets the picture and loses what only the build reads", () => {
  const page = '<head>\n<link data-trunk rel="rust">\n<link rel="icon">\n</head><!-- fallback picture -->';
  assert.equal(fillPage(page, '<?xml version="1.0"?>\n<svg/>\n'), '<head>\n<link rel="icon">\n</head><svg/>');
});

test("whatever the policy would block is found in the page", () => {
  const page = '<style></style><p style="x" onclick="y"><script>z</script><link data-trunk>';
  assert.equal(faultsOf(page).length, 6);
});

test("wasm and glue agree on shorter names", () => {
  const text = (value) => [value.length, ...Buffer.from(value)];
  const section = (id, ...content) => [id, content.length, ...content];
  const wasm = Buffer.of(
    0, 97, 115, 109, 1, 0, 0, 0,
    ...section(1, 1, 96, 0, 1, 127),
    ...section(2, 1, ...text("./x.js"), ...text("__wbg_answer_0123"), 0, 0),
    ...section(7, 2, ...text("ask"), 0, 0, ...text("__wbindgen_again"), 0, 0),
  );
  const glue = '({ imports: { "./x.js": { __wbg_answer_0123: () => 42 } }, both: (wasm) => wasm.ask() + wasm.__wbindgen_again() })';
  const small = shortenNames(wasm, glue);
  assert.ok(small.wasm.length < wasm.length);
  const { imports, both } = (0, eval)(small.glue);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(small.wasm), imports);
  assert.equal(both(instance.exports), 84);
});

/** A wasm with everything that the parts share: memory with data, a table, a global, calls each way. */
function wasmToSplit() {
  binaryen.setDebugInfo(true);
  const module = binaryen.parseText(`(module
    (type $number (func (result i32)))
    (import "host" "ten" (func $ten (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 8) "\\2a")
    (table 1 funcref)
    (elem (i32.const 0) $held)
    (global $stack (mut i32) (i32.const 100))
    (func $held (result i32) (i32.load8_u (i32.const 8)))
    (func $shared (param i32) (result i32)
      (global.set $stack (i32.add (global.get $stack) (i32.const 1)))
      (i32.add (local.get 0) (global.get $stack)))
    (func $behind (result i32) (call $beyond))
    (func $beyond (result i32) (i32.const 1000))
    (func $deep (param i64 f64) (result f64) (f64.add (f64.convert_i64_s (local.get 0)) (local.get 1)))
    (func $seldom (param i32) (result i32)
      (i32.add
        (i32.add (call $shared (local.get 0)) (i32.add (call $behind) (call $ten)))
        (i32.add (call_indirect (type $number) (i32.const 0)) (i32.trunc_f64_s (call $deep (i64.const 3) (f64.const 4))))))
    (func $often (export "often") (param i32) (result i32) (call $shared (local.get 0)))
    (func $ask (export "ask") (param i32) (result i32) (call $seldom (local.get 0))))`);
  const wasm = Buffer.from(module.emitBinary());
  binaryen.setDebugInfo(false);
  return wasm;
}

const host = { host: { ten: () => 10 } };

test("a wasm in two parts does what it did in one, and asks for the rest when it needs it, once", () => {
  const wasm = wasmToSplit();
  const whole = new WebAssembly.Instance(new WebAssembly.Module(wasm), host);
  const { first, rest } = splitWasm(wasm, (name) => ["often", "ask", "shared", "behind"].includes(name));
  let loads = 0;
  const make = () => {
    loads += 1;
    new WebAssembly.Instance(new WebAssembly.Module(rest), { [FIRST]: split.exports });
  };
  const split = new WebAssembly.Instance(new WebAssembly.Module(first), { ...host, [LOADER.module]: { [LOADER.name]: make } });
  for (const [name, value, loaded] of [["often", 1, 0], ["ask", 5, 1], ["ask", 7, 1], ["often", 2, 1]]) {
    assert.equal(split.exports[name](value), whole.exports[name](value), name);
    assert.equal(loads, loaded, name);
  }
  assert.ok(!first.includes("seldom") && !rest.includes("seldom"), "no part has names");
});

test("a text for the rest alone is in its data, and in place once it is there", () => {
  binaryen.setDebugInfo(true);
  const module = binaryen.parseText(`(module
    (memory (export "memory") 1)
    (data (i32.const 64) "before, a longer text, after") (data (i32.const 8256) "\\01\\02")
    (func $told (export "told") (param i32) (result i32) (i32.load8_u (local.get 0)))
    (func $ask (export "ask") (result i32) (call $read))
    (func $read (result i32) (call $told (i32.const 72))))`);
  const wasm = Buffer.from(module.emitBinary());
  binaryen.setDebugInfo(false);
  const text = Buffer.from("a longer text");
  const { first, rest } = splitWasm(wasm, (name) => name !== "read", [text]);
  assert.ok(!first.includes(text) && rest.includes(text));
  const make = () => { new WebAssembly.Instance(new WebAssembly.Module(rest), { [FIRST]: exports }); };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(first), { [LOADER.module]: { [LOADER.name]: make } });
  const memory = () => Buffer.from(exports.memory.buffer);
  assert.equal(memory().toString("latin1", 64, 92), `before, ${"\0".repeat(text.length)}, after`);
  assert.equal(exports.ask(), "a".charCodeAt(0));
  assert.equal(memory().toString("latin1", 64, 92), "before, a longer text, after");
  assert.equal(exports.told(8257), 2);
  assert.throws(() => splitWasm(wasm, () => true, [Buffer.from("no such text")]), /0 times/);
});

test("where the rest does not come, the call fails, and the next one asks again", () => {
  const { first, rest } = splitWasm(wasmToSplit(), (name) => name !== "seldom");
  let isThere = false;
  const make = () => {
    if (!isThere) throw new Error("not there");
    new WebAssembly.Instance(new WebAssembly.Module(rest), { [FIRST]: exports });
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(first), { ...host, [LOADER.module]: { [LOADER.name]: make } });
  assert.throws(() => exports.ask(5), /not there/);
  isThere = true;
  assert.equal(exports.ask(5), 5 + 101 + 1000 + 10 + 42 + 7);
});

test("a recording names what was called, and nothing else", () => {
  const { wasm, names } = withRecording(wasmToSplit());
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), host);
  const called = () => names.filter((_, place) => exports[`called ${place}`].value === 1).sort();
  assert.deepEqual(called(), []);
  exports.often(1);
  assert.deepEqual(called(), ["often", "shared"]);
  exports.ask(1);
  assert.deepEqual(called(), ["ask", "behind", "beyond", "deep", "held", "often", "seldom", "shared"]);
});

test("steady names are without the hashes that change from build to build", () => {
  assert.equal(steadyName("core[5e619d7d1129c59f]::fmt::write"), "core::fmt::write");
  assert.equal(steadyName("a::b::h0123456789abcdef"), "a::b");
  assert.equal(steadyName("memchr::memchr.276"), "memchr::memchr");
});

test("code counts for the crate it belongs to, or was made for", () => {
  const cases = {
    "queue_lab::model::agenda::Agenda::pop": "queue_lab::model",
    "<queue_lab::web::Handle as core::ops::Drop>::drop": "queue_lab::web",
    "core::ptr::drop_in_place<yew::html::Html>": "yew",
    "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop": "std, core, alloc",
    "_ZN5yew_a4html3Foo3new17h0123456789abcdefE": "yew_a",
    "_RNvMs_NtCs1234_9queue_lab5modelNtB4_6Agenda3pop": "queue_lab::model",
    "__wbindgen_malloc": "(runtime, glue)",
  };
  for (const [name, group] of Object.entries(cases)) assert.equal(groupOf(name), group, name);
});
