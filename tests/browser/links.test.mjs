// Links, addresses and files: whatever they say, the page works and says in
// words what it did not take.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, test } from "node:test";
import { settled, startLab } from "./harness.mjs";
import { call, each, fileDialogueAfter, reached, shown, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const noticesOf = async (page) => (await shown(page)).notices;
const aNotice = (page, pattern) => until(`a notice like ${pattern}`, async () => (await noticesOf(page)).find((text) => pattern.test(text)), { within: 5_000 });

/** Goes to another link in the same tab. */
async function visit(page, path) {
  await page.goto(lab.server.origin + path);
  await settled(page);
}

async function assertWorks(page, log) {
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
  const { t_seconds } = await snapshot(page);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await reached(page, t_seconds + 1);
}

const bad = [
  ["p=abc", /^Parameter p: “abc” is not a number\. It was left at 6\.$/],
  ["workers=500", /^Parameter workers: 500 is too large\. The most is 64, and that is used\.$/],
  ["workers=0", /^Parameter workers: 0 is too small\./],
  ["colour=red", /^Parameter colour: there is no such name\. It was left out\.$/],
  ["p=-1", /^Parameter p: -1 is too small/],
  ["p=NaN", /“NaN” is not a number/],
  ["p=Infinity", /“Infinity” is not a number/],
  ["p=1e308", /“1e308” is not a number/],
  [`p=${"9".repeat(400)}`, /^Parameter p: 9{10,}.* is too large/],
  ["p=1.00004", /1\.00004 has too many decimals\. It was rounded to 1\b/],
  ["overflow=explode", /“explode” is not one of block, reject, drop-new, drop-oldest/],
  ["overflow=%3Cscript%3Ealert(1)%3C/script%3E", /“<script>alert\(1\)<\/script>” is not one of/],
  ["%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E=1", /^Parameter <img src=x onerror=alert\(1\)>: there is no such name/],
  ["p=%F0%9F%92%A3%ff%00", /^Parameter p: .* is not a number/],
  ["speed=fast", /^Parameter speed: “fast” is not a number\. It was left at 1\.$/],
  ["t=-5", /^Parameter t: -5 is too small/],
  ["capacity=lots", /^Parameter capacity: “lots”/],
  ["theme=pink", /“pink” is not one of auto, light, dark/],
  ["seed=x", /^Parameter seed: “x” is not a number/],
  ["__proto__=1&constructor=2", /^Parameter __proto__: there is no such name/],
];

test("a link with bad values says what is wrong with each, and the page works", async () => {
  const { page, log, seen } = await lab.open("/");
  await each(bad, ([query]) => query.slice(0, 60), async ([query, said]) => {
    await visit(page, `/?${query}&c=5`);
    await aNotice(page, said);
    assert.equal((await snapshot(page)).consumer_rate_per_second, 5, "the rest of the link is taken");
    assert.deepEqual((await seen()).violations, []);
    assert.equal(await page.locator(".notices :is(script, img)").count(), 0);
    await assertWorks(page, log);
  });
});

test("many faults are counted, fit into the page, and can be dismissed", async () => {
  const query = Array.from({ length: 130 }, (_, number) => `bad${number}=${"x".repeat(30)}`).join("&");
  const { page, log } = await lab.open(`/?${query}`, { width: 320 });
  assert.equal((await noticesOf(page)).at(-1), "There are 30 more notices.");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no sideways scroll");
  const list = await page.evaluate(() => {
    const { clientHeight, scrollHeight } = document.querySelector("queue-lab").shadowRoot.querySelector(".notices ul");
    return { clientHeight, scrollHeight };
  });
  assert.ok(list.clientHeight < 300 && list.scrollHeight > list.clientHeight, `it scrolls: ${JSON.stringify(list)}`);
  await page.getByRole("button", { name: "Close these notices" }).press("Enter");
  await until("they are gone", async () => (await noticesOf(page)).length === 0);
  await assertWorks(page, log);
});

test("closing the notices by key keeps the focus in the widget", async () => {
  const { page } = await lab.open("/?colour=red");
  await page.getByRole("button", { name: "Close these notices" }).press("Enter");
  await until("they are gone", async () => (await noticesOf(page)).length === 0);
  const focused = await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement?.localName ?? null);
  assert.notEqual(focused, null);
});

test("a good link is taken without a word", async () => {
  const { page, log } = await lab.open("/?v=1&p=8&c=2.5&workers=3&capacity=none&overflow=reject&arrivals=bursts&burst=4&work=exponential&memory=500&seed=9&speed=2&play=0&theme=dark&dial_max=50&locale=en");
  assert.deepEqual(await noticesOf(page), []);
  const now = await snapshot(page);
  assert.deepEqual([now.producer_rate_per_second, now.consumer_rate_per_second, now.consumer_count, now.queue_bound_messages, now.overflow_policy, now.broker_memory_messages, now.speed],
    [8, 2.5, 3, "none", "reject", 500, 2]);
  await assertWorks(page, log);
});

test("the element's own link gives the same settings again", async () => {
  const { page } = await lab.open("/?p=7.125&c=2&workers=3&capacity=17&overflow=block&arrivals=poisson&work=exponential&seed=12");
  const link = await page.evaluate(() => document.querySelector("queue-lab").link());
  const other = await lab.open(`/?${link}`);
  assert.deepEqual((await shown(other.page)).notices, []);
  assert.deepEqual(await snapshot(other.page), await snapshot(page));
});

const SCENARIO = { format: 1, title: "Mine", settings: { producer_rate_per_second: 9, consumer_rate_per_second: 3 } };

const BUILT_IN = ["eight-against-six", "six-in-six-out", "bigger-queue", "pushed-back", "random", "burst", "flood", "memory-alarm"];

test("every built-in scenario opens without a word or a request, and runs", async () => {
  const { page, log } = await lab.open("/");
  await each(BUILT_IN, (name) => name, async (name) => {
    await visit(page, `/?scenario=${name}`);
    assert.deepEqual(await noticesOf(page), []);
    assert.ok(!log.requests.some((path) => path.includes(name)), "nothing is fetched");
    await call(page, "play");
    await until("it runs", async () => (await snapshot(page)).t_seconds > 0.3);
    assert.deepEqual([log.console, log.pageErrors], [[], []]);
  });
});

test("a scenario at an address on the same site is fetched, and the link's dials win over it", async () => {
  lab.server.files["/scenarios/mine.json"] = JSON.stringify(SCENARIO);
  const { page, log } = await lab.open("/?scenario=scenarios/mine.json&c=4&t=3");
  const now = await reached(page, 3);
  assert.deepEqual([now.producer_rate_per_second, now.consumer_rate_per_second], [9, 4]);
  assert.deepEqual(await noticesOf(page), []);
  await assertWorks(page, log);
});

test("a scenario on another site is refused in a sentence, and not asked for", async () => {
  let asked = 0;
  const other = createServer((request, response) => { asked += 1; response.end(); });
  await new Promise((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${other.address().port}/x.json`;
  const { page, log, seen } = await lab.open(`/?scenario=${encodeURIComponent(address)}`);
  await aNotice(page, new RegExp(`^The scenario at ${address} is on another site, so it was not loaded\\.$`));
  assert.equal(asked, 0);
  assert.deepEqual((await seen()).violations, []);
  await assertWorks(page, log);
  other.close();
});

test("an address that is none, or that is more than one, is refused in words", async () => {
  const { page, seen } = await lab.open("/");
  for (const address of ["javascript:alert(1)", "data:application/json,{}", "//example.invalid/x.json", "http://["]) {
    await visit(page, `/?scenario=${encodeURIComponent(address)}`);
    await aNotice(page, /is on another site|There is no scenario/);
    assert.deepEqual((await seen()).violations, []);
    assert.equal((await snapshot(page)).t_seconds, 0);
  }
});

test("a missing scenario is said, and the page starts as usual", async () => {
  const { page, log } = await lab.open("/?scenario=no-such-one&p=7");
  await aNotice(page, /^There is no scenario “no-such-one” here\. The page starts as usual\.$/);
  assert.equal((await snapshot(page)).producer_rate_per_second, 7);
  log.console.length = 0; // the browser's own line about the answer 404
  await assertWorks(page, log);
});

test("a scenario that is not one is refused with its place", async () => {
  lab.server.files["/page.json"] = "no JSON";
  const { page, log } = await lab.open("/?scenario=page.json");
  await aNotice(page, /^page\.json, line 1, column 1: this cannot be read as JSON\. Nothing was changed\.$/);
  await assertWorks(page, log);
});

test("a page that a server sends in the place of a scenario is said to be none", async () => {
  lab.server.files["/page.json"] = "<!doctype html><title>Not found</title>";
  const { page, log } = await lab.open("/?scenario=page.json");
  await aNotice(page, /^There is no scenario “page\.json” here\. The page starts as usual\.$/);
  await assertWorks(page, log);
});

test("a slow scenario leaves the page usable meanwhile", async () => {
  lab.server.files["/slow.json"] = JSON.stringify(SCENARIO);
  lab.server.delays["/slow.json"] = 800;
  const { page, log } = await lab.open("/?scenario=slow.json");
  await call(page, "step");
  assert.equal((await snapshot(page)).t_seconds, 1);
  await until("it is there", async () => (await snapshot(page)).producer_rate_per_second === 9);
  await assertWorks(page, log);
});

/** Opens a file by the page's own file input, as a person does. */
async function choose(page, name, text) {
  const chooser = await fileDialogueAfter(page, () => page.getByLabel("Open a scenario file").click());
  await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
}

test("a scenario file opens by the button, at its start and paused, and is announced", async () => {
  const { page, log } = await lab.open("/?play=1");
  await choose(page, "mine.json", JSON.stringify(SCENARIO));
  await until("it is open", async () => (await snapshot(page)).producer_rate_per_second === 9);
  const { t_seconds, is_playing } = await snapshot(page);
  assert.deepEqual([t_seconds, is_playing], [0, false]);
  assert.match((await shown(page)).happening, /9 will arrive and 3 will finish/);
  await until("it is announced", async () => /The scenario “Mine” is open/.test((await shown(page)).status));
  assert.deepEqual(await noticesOf(page), []);
  await assertWorks(page, log);
});

test("the same file can be opened twice", async () => {
  const { page } = await lab.open("/");
  await choose(page, "mine.json", JSON.stringify(SCENARIO));
  await until("it is open", async () => (await snapshot(page)).producer_rate_per_second === 9);
  await call(page, "set", "p=2");
  assert.equal((await snapshot(page)).producer_rate_per_second, 2);
  await choose(page, "mine.json", JSON.stringify(SCENARIO));
  await until("it is open again", async () => (await snapshot(page)).producer_rate_per_second === 9);
});

test("a file dropped on the button opens", async () => {
  const { page } = await lab.open("/");
  await page.getByLabel("Open a scenario file").setInputFiles({ name: "mine.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(SCENARIO)) });
  await until("it is open", async () => (await snapshot(page)).producer_rate_per_second === 9);
});

const files = [
  ["bad JSON", '{\n  "format": 1,\n  oops\n}', /^my\.json, line 3, column \d+: this cannot be read as JSON\. Nothing was changed\.$/],
  ["nothing in it", "", /^my\.json, line 1, column 0|^my\.json, line 1, column 1/],
  ["a list", "[]", /^my\.json: this is not a scenario\. Nothing was changed\.$/],
  ["another format", '{"format":2}', /format 2 is not known here\. Nothing was changed\./],
  ["an unknown field", '{"format":1,"colour":"red"}', /^my\.json, colour: this field is not known\. It was left out\.$/],
  ["a wrong type", '{"format":1,"settings":{"p":[1]}}', /^my\.json, settings\.p: this should be a number or a text\. It was left out\.$/],
  ["a value out of range", '{"format":1,"settings":{"consumer_count":1000}}', /^my\.json, settings\.consumer_count: 1000 is too large\. The most is 64/],
  ["markup in its names", '{"format":1,"<img src=x onerror=alert(1)>":1}', /^my\.json, <img src=x onerror=alert\(1\)>: this field is not known/],
  ["no text at all", "\u0000\u0001\u00ff", /^my\.json, line 1/],
  ["deep nesting", "[".repeat(100_000), /^my\.json/],
];

test("a file with faults in it is answered in words, and the page works", async () => {
  const { page, log } = await lab.open("/?p=7");
  await each(files, ([what]) => what, async ([, text, said]) => {
    await choose(page, "my.json", text);
    await aNotice(page, said);
    await assertWorks(page, log);
    await page.getByRole("button", { name: "Close these notices" }).click();
  });
});

test("a file that is too large is refused without being read", async () => {
  const { page, log } = await lab.open("/?p=7");
  await choose(page, "large.json", `{"format":1,"title":"${"x".repeat(1_000_000)}"}`);
  await aNotice(page, /^large\.json is larger than 1 MB\. It was not opened\.$/);
  assert.equal((await snapshot(page)).producer_rate_per_second, 7);
  await assertWorks(page, log);
});

test("notices of one file go when the next is opened", async () => {
  const { page } = await lab.open("/");
  await choose(page, "my.json", "[]");
  await aNotice(page, /not a scenario/);
  await choose(page, "mine.json", JSON.stringify(SCENARIO));
  await until("it is open", async () => (await snapshot(page)).producer_rate_per_second === 9);
  assert.deepEqual(await noticesOf(page), []);
});

test("the element takes hostile values without a fault", async () => {
  const { page, log } = await lab.open("/");
  await page.evaluate(() => {
    const element = document.querySelector("queue-lab");
    for (const value of ["p=%", "p", "=", "&&&", "p=1&p=2&p=x", "t=1e99", `scenario=${"x".repeat(5_000)}`, "\u0000", "🦀=🦀"]) element.set(value);
    element.set({ p: undefined, c: null, workers: NaN, capacity: Infinity, seed: -1, t: 1e21 });
    element.setAttribute("p", "<b>");
    element.setAttribute("overflow", "");
  });
  await until("all are answered", async () => (await noticesOf(page)).length > 3);
  log.console.length = 0;
  await call(page, "reset");
  await reached(page, 0);
  assert.deepEqual(log.pageErrors, []);
  assert.equal(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".failure")), null);
});
