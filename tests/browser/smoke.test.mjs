// The page loads, mounts and stays a good guest; and when something fails, it
// says so and leaves the picture in view.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { POLICY, failureOf, pageWith, settled, showsFallback, startLab } from "./harness.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const FALLBACK = "<p>A sentence in its place.</p>";
const SHADOW_TEXT = () => document.querySelector("queue-lab").shadowRoot.textContent.trim();

function assertClean({ log, seen }) {
  assert.deepEqual(log.console, []);
  assert.deepEqual(log.pageErrors, []);
  assert.deepEqual(seen.violations, []);
}

test("mounts with five requests, no violation, no error", async () => {
  const { page, log, seen } = await lab.open("/");
  assertClean({ log, seen: await seen() });
  assert.deepEqual(log.requests.toSorted(), ["/", "/embed.js", "/queue-lab.js", "/queue-lab_bg.wasm", "/queue-lab_rest.wasm"]);
  assert.deepEqual((await seen()).events.map(({ type }) => type), ["ready"]);
  assert.notEqual(await page.evaluate(SHADOW_TEXT), "");
  assert.equal(await showsFallback(page), false);
});

test("the first sentence and the reserved box are there before the simulation", async () => {
  const { page } = await lab.open("/", { wait: false, before: () => { WebAssembly.compileStreaming = () => new Promise(() => {}); } });
  assert.match(await page.innerText("queue-lab"), /^Two dials, one queue: see what happens when messages arrive faster/);
  assert.equal(await showsFallback(page), true);
  assert.ok(await page.evaluate(() => document.querySelector("queue-lab").offsetHeight) > 300);
});

/** Slows the files down, so that the page is painted before each of them. */
function paintEarly() {
  lab.server.delays["/embed.js"] = 250;
  lab.server.delays["/queue-lab_bg.wasm"] = 250;
}

for (const width of [320, 600, 1000, 1280]) {
  test(`nothing moves while it loads, ${width} px wide`, async () => {
    paintEarly();
    const { page, seen } = await lab.open("/", { width });
    await page.waitForTimeout(200);
    assert.equal((await seen()).shift, 0);
  });

  test(`nothing below it moves while it loads, ${width} px wide`, async () => {
    // A page of many words, which keeps the element's place free by its own style sheet.
    paintEarly();
    lab.server.files["/host.css"] = "queue-lab { display: block; min-height: 80.5rem } @media (min-width: 700px) { queue-lab { min-height: 62rem } } @media (min-width: 1000px) { queue-lab { min-height: 53.5rem } }";
    lab.server.files["/page.html"] = pageWith(`<h1>Above</h1><queue-lab>${FALLBACK}</queue-lab><p>Below</p><p>${"More text. ".repeat(2000)}</p>`)
      .replace("<title>", '<link rel="stylesheet" href="host.css"><title>');
    const { page, seen } = await lab.open("/page.html", { width, height: 1200 });
    await page.waitForTimeout(200);
    assert.equal((await seen()).shift, 0);
  });
}

test("takes neither focus nor scroll, and leaves no global behind", async () => {
  const { page } = await lab.open("/", { before: () => { window.__names = Object.getOwnPropertyNames(window); } });
  const state = await page.evaluate(() => ({
    active: document.activeElement.localName,
    scroll: [window.scrollX, window.scrollY],
    names: Object.getOwnPropertyNames(window).filter((name) => !window.__names.includes(name)),
  }));
  assert.deepEqual(state, { active: "body", scroll: [0, 0], names: ["__names"] });
});

test("two elements share the files but not their memory", async () => {
  lab.server.files["/two.html"] = pageWith(`<queue-lab id="a" from-location>${FALLBACK}</queue-lab><queue-lab id="b" p="9">${FALLBACK}</queue-lab>`);
  const { page, log, seen } = await lab.open("/two.html?p=7");
  assertClean({ log, seen: await seen() });
  assert.equal(log.requests.length, 5);
  const links = await page.evaluate(() => {
    const [a, b] = document.querySelectorAll("queue-lab");
    a.step();
    return [a.stateHash(), b.stateHash(), JSON.stringify(a.snapshot()), JSON.stringify(b.snapshot())];
  });
  assert.notEqual(links[2], links[3]);
});

test("a fault at the start of one leaves the other running", async () => {
  lab.server.files["/two.html"] = pageWith(`<queue-lab id="a" data-fault="1">${FALLBACK}</queue-lab><queue-lab id="b">${FALLBACK}</queue-lab>`);
  const { page, seen } = await lab.open("/two.html");
  const events = (await seen()).events.map(({ type, id, detail }) => [type, id, detail?.code]);
  assert.deepEqual(events.toSorted(), [["error", "a", "fault"], ["ready", "b", undefined]]);
  assert.match(await failureOf(page, "#a"), /stopped because of a fault/);
  assert.equal(await showsFallback(page, "#a"), true);
  assert.equal(await failureOf(page, "#b"), null);
  assert.ok(await page.evaluate(() => { const b = document.querySelector("#b"); b.step(); return b.snapshot() !== null; }));
});

test("no address can ask for a fault", async () => {
  const { page } = await lab.open("/?fault=1");
  assert.equal(await failureOf(page), null);
});

test("a later fault shows the picture, and Start again makes a new instance", async () => {
  lab.server.files["/one.html"] = pageWith(`<queue-lab p="7" data-fault="later">${FALLBACK}</queue-lab>`);
  const { page } = await lab.open("/one.html");
  await page.evaluate(() => document.querySelector("queue-lab").step());
  assert.match(await failureOf(page), /stopped because of a fault/);
  assert.equal(await showsFallback(page), true);
  await page.getByRole("button", { name: "Start again" }).click();
  await settled(page);
  assert.equal(await failureOf(page), null);
  assert.equal(await showsFallback(page), false);
  assert.ok(await page.evaluate(() => document.querySelector("queue-lab").snapshot() !== null));
});

const failures = [
  ["a missing wasm file", "wasm-missing", (server) => server.missing.add("/queue-lab_bg.wasm")],
  ["missing glue", "wasm-missing", (server) => server.missing.add("/queue-lab.js")],
  ["a page in place of the wasm file", "mime", (server) => { server.files["/queue-lab_bg.wasm"] = "<!doctype html>"; server.types["/queue-lab_bg.wasm"] = "text/html"; }],
  ["glue sent as plain text", "mime", (server) => { server.types["/queue-lab.js"] = "text/plain"; }],
  ["a policy against wasm", "csp", (server) => { server.headers["content-security-policy"] = POLICY.replace(" 'wasm-unsafe-eval'", ""); }],
  ["a policy against fetching", "csp", (server) => { server.headers["content-security-policy"] = POLICY.replace("connect-src 'self'", "connect-src 'none'"); }],
];

for (const [name, code, cause] of failures) {
  test(`${name} leaves the picture and says what helps`, async () => {
    cause(lab.server);
    const { page, log, seen } = await lab.open("/");
    const events = (await seen()).events;
    assert.deepEqual(events.map(({ type, detail }) => [type, detail?.code]), [["error", code]]);
    assert.ok((await failureOf(page)).startsWith(events[0].detail.message + events[0].detail.help));
    assert.equal(await showsFallback(page), true);
    assert.deepEqual(log.pageErrors, []);
  });
}

test("a browser without WebAssembly is told so", async () => {
  const { page, seen } = await lab.open("/", { before: () => { delete window.WebAssembly; } });
  assert.equal((await seen()).events[0].detail.code, "unsupported");
  assert.equal(await showsFallback(page), true);
});

test("a wrong MIME type still mounts, and the console names the fix", async () => {
  lab.server.types["/queue-lab_bg.wasm"] = "application/octet-stream";
  const { page, log } = await lab.open("/");
  assert.equal(await failureOf(page), null);
  assert.match(log.warnings.join("\n"), /application\/wasm/);
});

test("a moved element keeps its instance; a removed one is destroyed and can come back", async () => {
  const { page, log } = await lab.open("/");
  const root = () => document.querySelector("queue-lab").shadowRoot.querySelector(".box > div");
  const before = await page.evaluateHandle(root);
  await page.evaluate(async () => {
    document.body.append(document.querySelector("queue-lab"));
    await new Promise((resolve) => setTimeout(resolve));
  });
  assert.ok(await page.evaluate((old) => old.isConnected, before));
  const gone = await page.evaluate(async () => {
    const element = document.querySelector("queue-lab");
    element.remove();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const children = element.shadowRoot.querySelectorAll(".box > div").length;
    document.body.append(element);
    await element.ready;
    return children;
  });
  assert.equal(gone, 0);
  assert.equal(await failureOf(page), null);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("attributes reach the running instance", async () => {
  const { page, log } = await lab.open("/");
  const [before, after] = await page.evaluate(async () => {
    const element = document.querySelector("queue-lab");
    const before = element.shadowRoot.textContent;
    element.setAttribute("p", "7");
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [before, element.shadowRoot.textContent];
  });
  assert.notEqual(before, after);
  assert.deepEqual(log.pageErrors, []);
});
