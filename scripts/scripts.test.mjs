// The build's own steps, on small examples.
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "./check-dist.mjs";
import { fillPage, fillStyles, minifyCss, minifyModule, wrapGlue } from "./post-build.mjs";
import { shortenNames } from "./short-names.mjs";
import { groupOf } from "./wasm-sizes.mjs";

test("styles lose comments and indentation, and nothing else", () => {
  const css = "/* why */\n.a > b,\n.c {\n  margin: calc(1px + 2px) auto;\n  content: \"/* kept;  } */\";\n}\n@media (width < 3px) {\n  .d { color: red; }\n}\n";
  assert.equal(minifyCss(css), '.a > b,.c{margin:calc(1px + 2px) auto;content:"/* kept;  } */"}@media (width < 3px){.d{color:red}}');
});

test("each call of the wrapped glue makes its own instance", async () => {
  const glue = `let wasm_bindgen = (function (exports) {
    script_src = new URL(document.currentScript.src, location.href).toString();
    const __wbg_get_imports = () => ({ texts: { debug: (arg1) => { const ret = debugString(arg1); return ret; } } });
    const __wbg_finalize_init = (instance) => { exports.instance = instance; };
    return Object.assign(__wbg_init, { initSync }, exports);
  })({});`;
  const { default: start } = await import(`data:text/javascript,${encodeURIComponent(wrapGlue(glue))}`);
  const empty = new WebAssembly.Module(Buffer.of(0, 97, 115, 109, 1, 0, 0, 0));
  const [one, other] = [await start(empty), await start(empty)];
  assert.ok(one.instance instanceof WebAssembly.Instance);
  assert.notEqual(one.instance, other.instance);
  assert.throws(() => wrapGlue("let wasm_bindgen = {};"));
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

test("wasm and glue agree on shorter names, and custom sections go", () => {
  const text = (value) => [value.length, ...Buffer.from(value)];
  const section = (id, ...content) => [id, content.length, ...content];
  const wasm = Buffer.of(
    0, 97, 115, 109, 1, 0, 0, 0,
    ...section(0, ...text("name"), 1, 2, 3),
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
