// Whatever can be opened is opened, in all four themes, on a phone and a wide page, and with text of 200 %:
// axe finds nothing, and nothing scrolls sideways.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { faultsOf } from "./axe.mjs";
import { HEAVY, pageWith, startLab } from "./harness.mjs";
import { each, reached, step, textAt, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const button = (page, name) => page.getByRole("button", { name }).first();
const press = (page, name) => button(page, name).evaluate((own) => own.click());

const isOpen = (page, id) => page.evaluate((name) => document.querySelector("queue-lab").shadowRoot.querySelector(`#ql-${name}`)?.hidden === false, id);

/** Presses what opens the panel `ql-id`, and waits until it is there. */
async function open(page, name, id) {
  assert.equal(await isOpen(page, id), false, `${id} is open before`);
  await press(page, name);
  await until(`${id} is open`, () => isOpen(page, id));
}

/** For a room these are not on the page. */
const NOT_FOR_A_ROOM = ["a journey", "the words", "the numbers", "the past"];

/** What is opened one after the other, each with how. */
const OPENED = [
  ["a journey", async (page) => { await press(page, "Trace a message"); await press(page, /^Trace message \d/); await until("a journey", () => textAt(page, ".journey ol li")); }],
  ["further charts", (page) => open(page, "More charts", "charts")],
  ["the words", (page) => open(page, "What the words mean", "glossary")],
  ["the numbers", (page) => open(page, "All numbers", "table")],
  ["the keys", (page) => open(page, "Keys", "help")],
  ["the link", (page) => open(page, "Share", "share")],
  ["dead letters with a journey", async (page) => {
    await press(page, /dead letters? · Open/);
    await until("the list", () => textAt(page, ".letters tbody tr"));
    await page.locator(".letters").getByRole("button", { name: /^Trace message/ }).first().evaluate((own) => own.click());
    await until("its journey", () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".letters tr:not([hidden]) td[colspan]") !== null));
  }],
  ["more ways, and what was done", async (page) => { await press(page, /^(More ways|Break it)/); await press(page, "Pause the producer"); await step(page, 1); }],
  ["the past", async (page) => {
    const slider = page.getByRole("slider", { name: "Look back" });
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await until("the past", () => textAt(page, ".past"));
  }],
];

const RUNS = [
  ["a queue", "p=8&c=2&workers=3&capacity=60&dlq=kept&attempts=2&poison=8&overflow=reject&t=40"],
  ["a log", "view=log&p=6&c=4&workers=3&poison=8&dlq=kept&attempts=2&do=1,add-partitions,topic=orders,partition_count=2~3,join,consumers=audit&t=40"],
  ["both", "view=both&p=8&c=2&workers=3&poison=8&dlq=kept&attempts=2&do=1,join,consumers=audit-of-queue~1,join,consumers=audit&t=40"],
];

const THEMES = [
  ["light", "", {}], ["dark", "", { scheme: "dark" }], ["projector", "&theme=projector", {}], ["forced colours", "", { forced: true }],
];

async function openRun(path, options) {
  const { page } = await lab.open(path, options);
  if (options.forced) await page.emulateMedia({ forcedColors: "active" });
  await reached(page, 40);
  return page;
}

async function openGroups(page, check) {
  await press(page, /^(More dials|Dials)$/);
  const groups = await page.locator(".group").allInnerTexts();
  assert.ok(groups.length >= 8, `${groups}`);
  for (const name of groups) {
    await page.locator(".groups").getByRole("button", { name, exact: true }).evaluate((own) => own.click());
    await check(`dials: ${name}`);
  }
}

/** Opens one thing after the other, so that at last all are open, and looks each time. */
async function visit(page) {
  const found = [];
  const check = async (name) => {
    for (const fault of await faultsOf(page)) found.push(`${name}: ${fault}`);
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${name}: it scrolls sideways`);
  };
  const isForARoom = await page.locator(".ql").getAttribute("data-theme") === "projector";
  for (const [name, open] of OPENED) {
    if (isForARoom && NOT_FOR_A_ROOM.includes(name)) continue;
    await open(page);
    await check(name);
  }
  await openGroups(page, check);
  assert.deepEqual([...new Set(found)], []);
}

/** Each theme in one width, each width in two themes; the whole matrix where there is time for it. */
const widthsOf = (theme) => HEAVY ? [320, 1280] : [["light", "forced colours"].includes(theme) ? 320 : 1280];

for (const [theme, query, options] of THEMES) {
  for (const width of widthsOf(theme)) {
    test(`axe finds nothing in anything that can be opened, ${theme}, ${width} px`, async () => {
      await each(RUNS, ([name]) => name, async ([, run]) => visit(await openRun(`/?${run}${query}`, { ...options, width })));
    });
  }
}

test("the same with text of 200 %", async () => {
  lab.server.files["/large.css"] = "html { font-size: 200% }";
  for (const [, run] of RUNS) {
    const attributes = [...new URLSearchParams(run)].map(([name, value]) => `${name}="${value}"`).join(" ");
    lab.server.files["/large.html"] = pageWith(`<main><queue-lab ${attributes}></queue-lab></main>`).replace("<title>", '<link rel="stylesheet" href="large.css"><meta name="viewport" content="width=device-width"><title>');
    for (const width of HEAVY ? [320, 1280] : [320]) await visit(await openRun("/large.html", { width }));
  }
});
