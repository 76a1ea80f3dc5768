// Start, step, speed, reset: the same run however it is played; and the stories it tells.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { HEAVY, startLab } from "./harness.mjs";
import { call, hash, openTable, reached, shown, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const button = (page, name) => page.getByRole("button", { name, exact: true });
const RANDOM = "p=5&c=6&arrivals=poisson&work=exponential&seed=7";

test("Step goes exactly one second on, by click, by key and by the element", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await button(page, "Step").click();
  await reached(page, 1);
  await button(page, "Step").press("Enter");
  await reached(page, 2);
  await button(page, "Step").press("Space");
  await reached(page, 3);
  await call(page, "step");
  const now = await reached(page, 4);
  assert.equal(now.offered, 32);
  assert.match((await shown(page)).clock, /00:04$/);
});

test("Shift with Step goes to the next instant at which anything happens", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await button(page, "Step").click({ modifiers: ["Shift"] });
  assert.equal((await reached(page, 0.125)).offered, 1);
  await button(page, "Step").press("Shift+Enter");
  assert.equal((await reached(page, 0.25)).offered, 2);
  // The first message has been finished in the first microsecond after a sixth of a second.
  await call(page, "stepInstant");
  assert.equal((await reached(page, 0.291667)).done, 1);
  await call(page, "stepInstant");
  assert.equal((await reached(page, 0.375)).offered, 3);
});

test("Step from between two seconds goes one second on, and pauses what runs", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await call(page, "stepInstant");
  await button(page, "Step").click();
  await reached(page, 1.125);
  await button(page, "Start").click();
  await until("it runs", async () => (await snapshot(page)).t_seconds > 1.2);
  await button(page, "Step").click();
  await until("it pauses", async () => !(await snapshot(page)).is_playing);
});

test("Start becomes Pause, and a paused run stands still", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  assert.equal((await snapshot(page)).is_playing, false);
  await button(page, "Start").click();
  await until("it runs", async () => (await snapshot(page)).t_seconds > 0.1);
  await button(page, "Pause").click();
  const { t_seconds, is_playing } = await snapshot(page);
  assert.equal(is_playing, false);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  assert.equal((await snapshot(page)).t_seconds, t_seconds);
  await call(page, "play");
  assert.equal((await snapshot(page)).is_playing, true);
  await call(page, "pause");
  assert.equal((await snapshot(page)).is_playing, false);
});

test("Reset and the same seed give the same run again, another seed another", async () => {
  const { page } = await lab.open(`/?${RANDOM}&t=30`);
  await reached(page, 30);
  const first = await hash(page);
  await button(page, "Reset").click();
  await reached(page, 0);
  for (let second = 1; second <= 30; second += 1) {
    await call(page, "step");
    await reached(page, second);
  }
  assert.equal(await hash(page), first, "reset, then thirty steps");
  const other = await lab.open(`/?${RANDOM.replace("seed=7", "seed=8")}&t=30`);
  await reached(other.page, 30);
  assert.notEqual(await hash(other.page), first);
  const again = await lab.open(`/?${RANDOM}&t=30`);
  await reached(again.page, 30);
  assert.equal(await hash(again.page), first, "a fresh page");
});

test("twenty resets in mid-run lead to the same start", async () => {
  const { page } = await lab.open(`/?${RANDOM}&speed=100`);
  const start = await hash(page);
  for (let round = 0; round < 20; round += 1) {
    await page.evaluate(() => {
      const element = document.querySelector("queue-lab");
      element.play();
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => { element.reset(); resolve(); })));
    });
    assert.equal(await hash(page), start);
    assert.equal((await snapshot(page)).is_playing, false);
  }
});

test("the speed does not change the run", async () => {
  lab.server.files["/run.json"] = JSON.stringify({
    format: 1, seed: 3, until: 2,
    settings: { producer_rate_per_second: 50, arrival_pattern: "poisson", consumer_rate_per_second: 40, service_time_distribution: "exponential" },
    commands: [{ at: 1, do: "burst", messages: 100 }],
  });
  const hashes = [];
  for (const speed of ["1", "3.7", "100", "1000"]) {
    const { page } = await lab.open(`/?scenario=run.json&speed=${speed}&play=1`);
    await reached(page, 2);
    hashes.push(await hash(page));
  }
  assert.deepEqual(new Set(hashes).size, 1, hashes.join(" "));
});

test("steps by instants lead to the same state as steps by seconds", async () => {
  const { page } = await lab.open(`/?${RANDOM}&t=6`);
  await reached(page, 6);
  const expected = await hash(page);
  const other = await lab.open(`/?${RANDOM}`);
  await other.page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    let now = element.snapshot();
    while (now.t_seconds < 5) { element.stepInstant(); now = element.snapshot(); }
  });
  const { t_seconds } = await snapshot(other.page);
  await other.page.evaluate(() => document.querySelector("queue-lab").set({ t: 6 }));
  await reached(other.page, 6);
  assert.ok(t_seconds >= 5);
  assert.equal(await hash(other.page), expected);
});

test("the speed list says which speed it is, and a link's own speed is in it", async () => {
  const { page } = await lab.open("/?speed=7");
  const list = page.getByRole("combobox", { name: "Speed" });
  assert.equal(await list.inputValue(), "7");
  await list.selectOption("0.1");
  assert.equal((await snapshot(page)).speed, 0.1);
});

async function story(page, within) {
  const kinds = [];
  await until("the queue is full", async () => {
    const { sentence_kind: kind, waiting } = await snapshot(page);
    if (kinds.at(-1) !== kind) kinds.push(kind);
    return kind === "full-dropping-new" && waiting === 60;
  }, { within });
  return kinds;
}

test("Show me: 8 against 6 tells its story without another click", async () => {
  const { page } = await lab.open(HEAVY ? "/" : "/?speed=10");
  await page.getByRole("button", { name: "Show me: 8 against 6" }).click();
  assert.equal((await snapshot(page)).is_playing, true);
  const kinds = await story(page, HEAVY ? 90_000 : 30_000);
  assert.ok(kinds.includes("will-fill"), kinds.join());
  assert.deepEqual(kinds.filter((kind) => !["at-rest", "will-fill", "full-dropping-new"].includes(kind)), []);
  assert.ok((await snapshot(page)).t_seconds >= 29.75);
  await openTable(page);
  // The texts are renewed eight times a second, which is more than a model second at this speed.
  await until("the table shows a full line", async () => /^(59|60)$/.test((await shown(page)).table["Waiting (queue depth)"]));
  await until("the sentence says so", async () => /full/.test((await shown(page)).sentences[0]));
});

test("Show me leaves speed and dials usable, and Reset leads back to the page's own start", async () => {
  const { page } = await lab.open("/?p=3&speed=100");
  await page.getByRole("button", { name: "Show me: 8 against 6" }).click();
  assert.equal((await snapshot(page)).producer_rate_per_second, 8);
  await button(page, "Reset").click();
  await reached(page, 0);
  assert.equal((await snapshot(page)).producer_rate_per_second, 3);
});

test("8 against 6 with a bound of 60 is full at 30 s, first at 29.75 s, and foretold all the way", async () => {
  const { page } = await lab.open("/?p=8&c=6&capacity=60");
  for (let second = 1; second <= 29; second += 1) {
    await call(page, "step");
    await reached(page, second);
    const skip = page.getByRole("button", { name: /^Skip to full/ });
    if (30 - second < 4) continue;
    const foretold = Number(/\((\d+) s\)/.exec(await skip.textContent())[1]);
    assert.ok(Math.abs(foretold - (30 - second)) <= Math.max(1, (30 - second) * 0.05), `${foretold} s at ${second} s`);
  }
  let now = await snapshot(page);
  while (now.waiting < 60) now = await call(page, "stepInstant");
  assert.equal(now.t_seconds, 29.75);
  await page.evaluate(() => document.querySelector("queue-lab").set({ t: 30 }));
  assert.equal((await reached(page, 30)).waiting, 60);
});

test("Skip to full goes there and stays paused", async () => {
  const { page } = await lab.open("/?p=8&c=6&capacity=60");
  await page.getByRole("button", { name: /^Skip to full/ }).click();
  const now = await until("it is full", async () => { const now = await snapshot(page); return now.waiting === 60 && now; });
  assert.ok(Math.abs(now.t_seconds - 30) <= 1, `${now.t_seconds} s`);
  assert.equal(now.is_playing, false);
});

// Each policy at 60 s: 480 are offered (420 where the producer has to wait), 359 done, 60 wait, 1 is in flight.
const policies = [
  ["block", { offered: 420, rejected: 0, dropped_new: 0, dropped_oldest: 0 }, /producer must wait/],
  ["reject", { offered: 480, rejected: 60, dropped_new: 0, dropped_oldest: 0 }, /2 are refused and the sender is told/],
  ["drop-new", { offered: 480, rejected: 0, dropped_new: 60, dropped_oldest: 0 }, /2 are dropped on arrival and nobody is told/],
  ["drop-oldest", { offered: 480, rejected: 0, dropped_new: 0, dropped_oldest: 60 }, /the 2 that waited longest are dropped/],
];

for (const [policy, expected, sentence] of policies) {
  test(`full, the policy ${policy} does what it says, in numbers and words`, async () => {
    const { page } = await lab.open(`/?p=8&c=6&capacity=60&overflow=${policy}&t=60`);
    const now = await reached(page, 60);
    const { offered, rejected, dropped_new, dropped_oldest } = now;
    assert.deepEqual({ offered, rejected, dropped_new, dropped_oldest }, expected);
    assert.deepEqual([now.waiting, now.in_flight, now.done], [60, 1, 359]);
    assert.match(now.sentence, sentence);
    assert.match(now.sentence_kind, /^full-/);
    assert.equal((await shown(page)).happening, now.sentence);
  });
}
