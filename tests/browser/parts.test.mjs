// The simulation comes in two parts: the first shows the first screen, and the rest comes
// right after it. Nothing that a person does before it has arrived is lost.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { failureOf, pageWith, settled, showsFallback, startLab } from "./harness.mjs";
import { each, quiet, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const REST = "/queue-lab_rest.wasm";

const restsOf = (log) => log.requests.filter((path) => path === REST).length;
const start = (page) => page.getByRole("button", { name: "Start" });
let letRestCome;

/** Lets the rest come, and waits until it is in place. */
async function ready(page) {
  letRestCome();
  await page.evaluate(() => document.querySelector("queue-lab").ready.then(() => true));
}

const runs = (page, selector) => until("it runs", async () => (await snapshot(page, selector)).is_playing);

/** A page that shows its first screen and has to wait for the rest until it is let come. */
async function openEarly(path, options = {}) {
  lab.server.delays[REST] = new Promise((resolve) => { letRestCome = resolve; });
  const opened = await lab.open(path, { ...options, wait: false });
  await until("the first screen", () => opened.page.evaluate(() => document.querySelector("queue-lab")?.shadowRoot?.querySelector(".ql canvas") !== null));
  return opened;
}

const SIGHTS = [
  { width: 1280, dpr: 2 }, { width: 768, scheme: "dark" }, { width: 320, height: 568, dpr: 3 },
].flatMap((sight) => ["/", "/?p=8", "/?p=8&c=6&capacity=90", "/?p=4&workers=2", "/?p=9&capacity=none&speed=4"].map((path) => ({ sight, path })));

test("four files show the first screen, and the rest finds it as it is (else: make first-part)", async () => {
  await each(SIGHTS, ({ sight, path }) => `${path} at ${sight.width} px`, async ({ sight, path }) => {
    const { page, log } = await openEarly(path, sight);
    const sentence = await page.evaluate(() => {
      const root = document.querySelector("queue-lab").shadowRoot;
      root.querySelector(".ql").dataset.first = "";
      return root.querySelector(".happening").textContent;
    });
    assert.match(sentence, /With these dials/);
    await page.setViewportSize({ width: sight.width === 320 ? 800 : 400, height: 700 });
    await page.emulateMedia({ colorScheme: "dark" });
    await ready(page);
    assert.ok(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".ql[data-first]") !== null), "it is shown once");
    assert.deepEqual([log.console, log.warnings, log.pageErrors, restsOf(log)], [[], [], [], 1]);
  });
});

test("what a person does before the rest has arrived is done when it has, in order", async () => {
  const { page, log } = await openEarly("/");
  await page.getByRole("slider").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Consumer rate more" }).click();
  await start(page).press("Enter");
  assert.equal(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.textContent.includes("Pause")), false, "done before the rest was there");
  await ready(page);
  await runs(page);
  const now = await snapshot(page);
  assert.deepEqual([now.producer_rate_per_second, now.consumer_rate_per_second], [6.5, 7]);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("what a person set stays set though the page is drawn anew meanwhile", async () => {
  const { page } = await openEarly("/");
  await page.getByRole("slider").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.emulateMedia({ colorScheme: "dark" });
  await ready(page);
  await until("the rate", async () => (await snapshot(page)).producer_rate_per_second === 6.5);
});

/** Marks what is shown now, so that it can be told whether it was shown anew. */
const mark = (page) => page.evaluate(() => { document.querySelector("queue-lab").shadowRoot.querySelector(".ql").dataset.first = ""; });
const isShownAnew = (page) => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".ql[data-first]") === null);

const MEANWHILE = [
  ["the host sets an attribute", (page) => page.evaluate(() => document.querySelector("queue-lab").setAttribute("capacity", "90"))],
  ["the host asks for what adds a row and a note", (page) => page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    for (const [name, value] of [["lock", "reset"], ["view", "log"], ["t", "0"]]) element.setAttribute(name, value);
  })],
  ["the colours change, which with a focus inside needs the rest", async (page) => {
    const failed = page.waitForEvent("pageerror");
    await page.emulateMedia({ colorScheme: "dark" });
    await failed;
  }],
];

test("acts and focus are kept though the page is shown anew when the rest has arrived", async () => {
  await each(MEANWHILE, ([name]) => name, async ([, change]) => {
    const { page } = await openEarly("/");
    await mark(page);
    await page.getByRole("slider").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Consumer rate more" }).locator("svg").click();
    await page.getByRole("button", { name: "Step" }).click();
    const field = page.getByRole("textbox", { name: /^Consumer rate/ });
    await field.focus();
    await change(page);
    await ready(page);
    assert.equal(await isShownAnew(page), true, "it is shown anew");
    await until("all is done", async () => {
      const { producer_rate_per_second: p, consumer_rate_per_second: c, t_seconds: t } = await snapshot(page);
      return p === 6.5 && c === 7 && t === 1;
    }, { within: 3_000 });
    assert.equal(await field.evaluate((own) => own === own.getRootNode().activeElement), true, "the focus is where it was");
  });
});

test("a step before the rest has arrived is announced when it is taken", async () => {
  const { page } = await openEarly("/?p=8&c=6");
  await page.getByRole("button", { name: "Step" }).click();
  await ready(page);
  await until("it is said", async () => (await page.locator("[aria-live]").textContent()).includes("One step, at 00:01."));
  assert.equal((await snapshot(page)).t_seconds, 1);
});

test("a finger's tap before the rest has arrived is not lost", async () => {
  const { page } = await openEarly("/", { width: 320, touch: true });
  await start(page).tap();
  await ready(page);
  await runs(page);
});

test("where the rest does not come, it is said what helps", async () => {
  lab.server.missing.add(REST);
  const { page, log, seen } = await lab.open("/");
  assert.match(await failureOf(page), /could not be loaded.*queue-lab_rest\.wasm/);
  assert.equal(await showsFallback(page), true);
  assert.deepEqual((await seen()).events.map(({ type, detail }) => detail?.code ?? type), ["wasm-missing"]);
  assert.deepEqual(log.pageErrors, []);
  lab.server.missing.clear();
  await page.getByRole("button", { name: "Try again" }).click();
  await settled(page);
  await start(page).click();
  await runs(page);
});

/** Runs in the page first: how often the first widget's own observer was told to stop is in `__stopped`. */
function countStops() {
  window.__stopped = 0;
  const { observe, disconnect } = ResizeObserver.prototype;
  let first;
  ResizeObserver.prototype.observe = function (...given) { first ??= this; return observe.apply(this, given); };
  ResizeObserver.prototype.disconnect = function () { window.__stopped += Number(this === first); return disconnect.apply(this); };
}

/** What stops the second showing: a fault in the simulation, and one before it is made. */
const STOPPED = [
  ["it faults", () => { document.querySelector("queue-lab").dataset.fault = "1"; }],
  ["it cannot be made", () => {
    WebAssembly.instantiate = () => Promise.reject(new Error("no memory is left"));
    document.querySelector("queue-lab").setAttribute("c", "3");
  }],
];

test("where what is shown anew fails, nothing is left of what was shown before", async () => {
  await each(STOPPED, ([name]) => name, async ([, stop]) => {
    const { page, seen } = await openEarly("/", { before: countStops });
    await page.evaluate(stop);
    letRestCome();
    await until("the failure", async () => (await failureOf(page)) !== null);
    await quiet(200);
    const left = await page.evaluate(() => ({ widgets: document.querySelector("queue-lab").shadowRoot.querySelectorAll(".ql").length, stopped: window.__stopped }));
    assert.deepEqual(left, { widgets: 0, stopped: 1 });
    assert.deepEqual((await seen()).events.map(({ type, detail }) => detail?.code ?? type), ["fault"]);
    await lab.closePages();
  });
});

test("a rest of another build ends in words", async () => {
  lab.server.files[REST] = Buffer.of(0, 97, 115, 109, 1, 0, 0, 0);
  const { page, seen } = await lab.open("/");
  await until("the failure", async () => (await failureOf(page)) !== null);
  assert.match(await failureOf(page), /do not belong together.*Details: queue-lab_rest\.wasm/);
  assert.deepEqual((await seen()).events.map(({ type, detail }) => detail?.code ?? type), ["mixed-build"]);
});

test("what the host does while the rest is on its way does no harm", async () => {
  const { page } = await openEarly("/");
  await page.evaluate(() => { document.body.className = "dark"; document.documentElement.dataset.theme = "x"; });
  await quiet(200);
  await ready(page);
  await start(page).click();
  await runs(page);
});

test("attributes count whenever they are set before it is ready", async () => {
  const { page } = await openEarly("/");
  await page.evaluate(() => {
    const made = document.createElement("queue-lab");
    made.id = "made";
    document.body.append(made);
    made.setAttribute("p", "9");
    made.setAttribute("play", "1");
    document.querySelector("queue-lab").setAttribute("c", "3");
  });
  await ready(page);
  await page.evaluate(() => document.querySelector("#made").ready.then(() => true));
  const [early, late] = [await snapshot(page, "#made"), await snapshot(page)];
  assert.deepEqual([early.producer_rate_per_second, early.is_playing, late.consumer_rate_per_second], [9, true, 3]);
});

test("an element that goes while the rest is on its way goes without a word, and can come back", async () => {
  const { page, log, seen } = await openEarly("/");
  await page.evaluate(() => { window.__gone = document.querySelector("queue-lab"); window.__gone.remove(); });
  letRestCome();
  await quiet(1000);
  assert.deepEqual((await seen()).events, []);
  await page.evaluate(() => { document.body.append(window.__gone); return window.__gone.ready; });
  assert.equal((await snapshot(page)).is_playing, false);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("values that the first part cannot show are shown with the rest", async () => {
  await each(["p=0", "workers=64", "capacity=4000000", "p=abc", "seed=-1", "p=1e9", "theme=dark", "dial_max=100"], (link) => link, async (link) => {
    lab.server.delays[REST] = 300;
    const { page, log } = await lab.open(`/?${link}`);
    assert.equal(await failureOf(page), null);
    assert.deepEqual([log.pageErrors, restsOf(log)], [[], 1]);
    assert.equal((await snapshot(page)).t_seconds, 0);
  });
});

test("two elements share the rest, and each has its own run", async () => {
  lab.server.files["/two.html"] = pageWith('<queue-lab id="a"></queue-lab><queue-lab id="b" p="8"></queue-lab>');
  const { page, log } = await lab.open("/two.html");
  await page.locator("#b").getByRole("button", { name: "Start" }).click();
  await runs(page, "#b");
  assert.equal((await snapshot(page, "#a")).is_playing, false);
  assert.equal(restsOf(log), 1);
});
