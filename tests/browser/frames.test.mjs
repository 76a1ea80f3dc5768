// Work only while there is something to see: paused, hidden and off screen the
// widget asks for no frame and no timer; and time that nobody saw does not pass.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { pageWith, startLab } from "./harness.mjs";
import { askedWithin, call, canHide, countClocks, quiet, shown, skewTime, snapshot, until } from "./widget.mjs";

/** Long enough for many frames, and for what is put off for a second. */
const A_WHILE = 1_200;
const NOTHING = { requestAnimationFrame: 0, setTimeout: 0, setInterval: 0 };

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const running = (page, from = 0.2) => until("it runs", async () => (await snapshot(page)).t_seconds > from);

test("at rest there are no frames and no timers", async () => {
  const { page } = await lab.open("/?p=8&c=6", { before: countClocks });
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
});

test("it plays by animation frames, and Pause ends them", async () => {
  const { page } = await lab.open("/?p=8&c=6&play=1", { before: countClocks });
  await running(page);
  const playing = await askedWithin(page, 500);
  assert.ok(playing.requestAnimationFrame > 5, `${playing.requestAnimationFrame} frames`);
  assert.equal(playing.setInterval, 0);
  await call(page, "pause");
  await until("the announcement", async () => /Paused/.test((await shown(page)).status));
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
});

test("a dial that is moved while paused causes one timer, for its announcement, and no frame", async () => {
  const { page } = await lab.open("/?p=8&c=6", { before: countClocks });
  await page.getByRole("slider", { name: "Producer rate" }).focus();
  await page.evaluate(() => { for (const name of Object.keys(window.__asked)) window.__asked[name] = 0; });
  await page.keyboard.press("ArrowRight");
  await until("the announcement", async () => (await shown(page)).status !== "");
  const asked = await page.evaluate(() => ({ ...window.__asked }));
  assert.deepEqual({ ...asked, setTimeout: 0 }, NOTHING);
  assert.ok(asked.setTimeout <= 2, `${asked.setTimeout} timers`);
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
});

test("after a step, a jump, and the end of a scenario the frames end", async () => {
  lab.server.files["/run.json"] = JSON.stringify({ format: 1, until: 2, settings: { p: 8 } });
  for (const query of ["t=20", "scenario=run.json&play=1&speed=10"]) {
    const { page } = await lab.open(`/?${query}`, { before: countClocks });
    await until("the end", async () => { const now = await snapshot(page); return now.t_seconds >= 2 && !now.is_playing; });
    await call(page, "step");
    await quiet(200);
    assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING, query);
  }
});

test("a minute in a hidden tab causes no jump, no frame and no timer", async () => {
  const { page } = await lab.open("/?p=8&c=6&play=1", { before: [skewTime, countClocks, canHide] });
  await running(page);
  const before = await page.evaluate(() => { window.__hide(true); return document.querySelector("queue-lab").snapshot().t_seconds; });
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
  const back = await page.evaluate(() => {
    window.__skew += 60_000;
    window.__hide(false);
    const element = document.querySelector("queue-lab");
    const began = performance.now();
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => {
      resolve({ t: element.snapshot().t_seconds, real: (performance.now() - began) / 1_000 });
    }))));
  });
  assert.ok(back.t > before, "it goes on");
  assert.ok(back.t - before <= back.real + 0.2, `${back.t - before} s in ${back.real} s`);
  assert.equal((await snapshot(page)).is_playing, true);
});

test("a minute without frames and without notice, as on a sleeping machine, counts as one frame", async () => {
  const { page } = await lab.open("/?p=8&c=6&play=1", { before: skewTime });
  await running(page);
  const [before, after] = await page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    const before = element.snapshot().t_seconds;
    window.__skew += 60_000;
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve([before, element.snapshot().t_seconds]))));
  });
  assert.ok(after - before < 1, `${after - before} s`);
});

test("a frozen page goes on where it stood", async () => {
  const { page, context } = await lab.open("/?p=8&c=6&play=1");
  await running(page);
  const client = await context.newCDPSession(page);
  await client.send("Page.setWebLifecycleState", { state: "frozen" });
  await quiet(1_500);
  await client.send("Page.setWebLifecycleState", { state: "active" });
  const { t_seconds } = await snapshot(page);
  await running(page, t_seconds);
});

test("scrolled out of view it stands still without frames, and goes on when it comes back", async () => {
  lab.server.files["/tall.css"] = "p { height: 3000px }";
  lab.server.files["/tall.html"] = pageWith('<queue-lab play="1" p="8"></queue-lab><p>Below</p>').replace("<title>", '<link rel="stylesheet" href="tall.css"><title>');
  const { page } = await lab.open("/tall.html", { before: countClocks });
  await running(page);
  await page.evaluate(() => window.scrollTo(0, 2_500));
  await until("it stands still", async () => {
    const { t_seconds } = await snapshot(page);
    await quiet(100);
    return (await snapshot(page)).t_seconds === t_seconds;
  });
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
  const { t_seconds } = await snapshot(page);
  await page.evaluate(() => window.scrollTo(0, 0));
  await running(page, t_seconds);
  assert.ok((await snapshot(page)).t_seconds < t_seconds + 1);
});

test("taken off the page, it stops", async () => {
  const { page, log } = await lab.open("/?p=8&c=6&play=1", { before: countClocks });
  await running(page);
  await page.evaluate(() => document.querySelector("queue-lab").remove());
  await quiet(200);
  assert.deepEqual(await askedWithin(page, A_WHILE), NOTHING);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("texts are renewed at most ten times a second while it runs", async (t) => {
  const { page } = await lab.open("/?p=8&c=6&play=1&speed=10");
  await running(page);
  const changes = await page.evaluate(() => new Promise((resolve) => {
    let count = 0;
    const root = document.querySelector("queue-lab").shadowRoot;
    const observer = new MutationObserver(() => { count += 1; });
    observer.observe(root.querySelector(".ql-body"), { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["aria-label"] });
    const began = performance.now();
    setTimeout(() => resolve({ count, seconds: (performance.now() - began) / 1_000 }), 2_000);
  }));
  t.diagnostic(`${(changes.count / changes.seconds).toFixed(1)} a second`);
  assert.ok(changes.count / changes.seconds <= 10.5);
  assert.ok(changes.count / changes.seconds >= 1);
});
