// The simulation comes in two parts: the first screen needs one, and the rest comes
// with the first sign of use. Nothing that a person does before it arrives is lost.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { failureOf, pageWith, settled, showsFallback, startLab } from "./harness.mjs";
import { each, quiet, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const REST = "/queue-lab_rest.wasm";
const FIRST_LOAD = ["/", "/embed.js", "/queue-lab.js", "/queue-lab_bg.wasm"];

const restsOf = (log) => log.requests.filter((path) => path === REST).length;
const start = (page) => page.getByRole("button", { name: "Start" });

const SIGHTS = [
  { width: 1280, dpr: 2 }, { width: 768, scheme: "dark" }, { width: 320, height: 568, dpr: 3 },
].flatMap((sight) => ["/", "/?p=8", "/?p=8&c=6&capacity=90", "/?p=4&workers=2", "/?p=9&capacity=none&speed=4"].map((path) => ({ sight, path })));

test("the first screen needs the four files alone (else: make first-part)", async () => {
  await each(SIGHTS, ({ sight, path }) => `${path} at ${sight.width} px`, async ({ sight, path }) => {
    const { page, log } = await lab.open(path, sight);
    await quiet(1500);
    await page.setViewportSize({ width: sight.width === 320 ? 800 : 400, height: 700 });
    await page.emulateMedia({ colorScheme: "dark" });
    await quiet(500);
    assert.deepEqual(log.requests.toSorted(), FIRST_LOAD);
    assert.deepEqual([log.console, log.warnings, log.pageErrors], [[], [], []]);
  });
});

const SIGNS = {
  "a moving pointer": (page) => page.mouse.move(300, 300),
  "a key": (page) => page.keyboard.press("Shift"),
  "the Tab key": (page) => page.keyboard.press("Tab"),
  scrolling: (page) => page.mouse.wheel(0, 50),
};

for (const [name, give] of Object.entries(SIGNS)) {
  test(`${name} brings the rest, once`, async () => {
    const { page, log } = await lab.open("/", { height: 400 });
    assert.equal(restsOf(log), 0);
    for (let times = 0; times < 3; times += 1) await give(page);
    await until("the rest is asked for", () => restsOf(log) > 0);
    await start(page).click();
    await until("it runs", async () => (await snapshot(page)).is_playing);
    assert.equal(restsOf(log), 1);
    assert.deepEqual([log.console, log.pageErrors], [[], []]);
  });
}

test("what a person does before the rest has arrived is done when it has, in order", async () => {
  lab.server.delays[REST] = 1500;
  const { page, log } = await lab.open("/");
  const began = Date.now();
  await page.getByRole("slider").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Consumer rate more" }).click();
  await start(page).press("Enter");
  assert.ok(Date.now() - began < 1500, "done before the rest was there");
  const now = await until("it runs", () => page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    return element.shadowRoot.textContent.includes("Pause") && element.snapshot();
  }));
  assert.equal(now.is_playing, true);
  assert.deepEqual([now.producer_rate_per_second, now.consumer_rate_per_second], [6.5, 7]);
  assert.equal(restsOf(log), 1);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("a step before the rest has arrived is announced when it is taken", async () => {
  lab.server.delays[REST] = 800;
  const { page } = await lab.open("/?p=8&c=6");
  await page.getByRole("button", { name: "Step" }).click();
  await until("it is said", async () => (await page.locator("[aria-live]").textContent()).includes("One step, at 00:01."));
  assert.equal((await snapshot(page)).t_seconds, 1);
});

test("a finger's tap before the rest has arrived is not lost", async () => {
  lab.server.delays[REST] = 800;
  const { page } = await lab.open("/", { width: 320, touch: true });
  await start(page).tap();
  await until("it runs", async () => (await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.textContent)).includes("Pause"));
});

test("where the rest does not come, it is said what helps, and Start again does when it is back", async () => {
  lab.server.missing.add(REST);
  const { page, log, seen } = await lab.open("/");
  await start(page).click();
  await until("the failure", () => failureOf(page));
  assert.match(await failureOf(page), /could not be loaded.*queue-lab_rest\.wasm/);
  assert.equal(await showsFallback(page), true);
  assert.deepEqual((await seen()).events.map(({ type, detail }) => detail?.code ?? type), ["ready", "wasm-missing"]);
  assert.deepEqual(log.pageErrors, []);
  lab.server.missing.clear();
  await page.evaluate(() => document.querySelector("queue-lab").replaceWith(document.createElement("queue-lab")));
  await settled(page);
  await start(page).click();
  await until("it runs", async () => (await snapshot(page)).is_playing);
});

test("a script's call works at once, before anybody is there", async () => {
  const { page, log } = await lab.open("/");
  const [rate, isPlaying] = await page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    element.set({ p: 9 });
    element.play();
    const now = element.snapshot();
    return [now.producer_rate_per_second, now.is_playing];
  });
  assert.deepEqual([rate, isPlaying, restsOf(log)], [9, true, 1]);
  await quiet(300);
  assert.ok((await snapshot(page)).t_seconds > 0);
});

test("a script's call where the rest is missing ends in words, not in a broken widget", async () => {
  lab.server.missing.add(REST);
  const { page } = await lab.open("/");
  await page.evaluate(() => document.querySelector("queue-lab").step());
  assert.match(await failureOf(page), /could not be loaded/);
  assert.equal(await showsFallback(page), true);
});

test("an element that asks for more than two dials has both parts before it is ready", async () => {
  await each(["play=1", "fail=50", "overflow=block", "t=5", "arrivals=poisson"], (link) => link, async (link) => {
    lab.server.delays[REST] = 300;
    const { page, log } = await lab.open(`/?${link}`);
    assert.equal(restsOf(log), 1);
    assert.equal(await failureOf(page), null);
  });
});

test("two elements share the rest, and each has its own run", async () => {
  lab.server.files["/two.html"] = pageWith('<queue-lab id="a"></queue-lab><queue-lab id="b" p="8"></queue-lab>');
  const { page, log } = await lab.open("/two.html");
  await page.locator("#b").getByRole("button", { name: "Start" }).click();
  await until("b runs", async () => (await snapshot(page, "#b")).is_playing);
  assert.equal((await snapshot(page, "#a")).is_playing, false);
  assert.equal(restsOf(log), 1);
});
