// A queue and a log at once, in a browser: shown by keyboard, beside each other where there is room, broken
// and shared on both sides.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { faultsOf } from "./axe.mjs";
import { startLab } from "./harness.mjs";
import { hash, nameOfFocused, pressByKey, reached, snapshot, step, textAt, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const picture = (page) => page.evaluate(() => {
  const { width, height } = document.querySelector("queue-lab").shadowRoot.querySelector(".scene canvas").getBoundingClientRect();
  return { width, height };
});

for (const width of [320, 1000]) {
  test(`both are shown, a second team joins and a poison message is sent, by keyboard alone, ${width} px`, async () => {
    const { page, log, seen } = await lab.open("/?p=6&c=6&t=5", { width });
    await reached(page, 5);
    const { height: alone } = await picture(page);
    await pressByKey(page, /^Both$/);
    await until("both are there", async () => (await picture(page)).height > alone + 60);
    assert.match(await nameOfFocused(page), /^Both$/);
    await step(page, 5);
    await pressByKey(page, /^Add a second team$/);
    await step(page, 10);
    await until("the sentence compares the teams", async () => /one team only/.test(await textAt(page, ".story")));
    await pressByKey(page, /^Poison/);
    await step(page, 5);
    const whereabouts = () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".whereabouts")?.textContent ?? "");
    await until("where the poison is, on both sides", async () => /Queue:.*Log:/s.test(await whereabouts()));
    const { violations } = await seen();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it scrolls sideways");
    assert.deepEqual({ violations, errors: log.pageErrors, console: log.console }, { violations: [], errors: [], console: [] });
  });
}

test("they stand side by side from 1600 px, and below each other before that", async () => {
  const heights = {};
  for (const width of [320, 1280, 1600]) {
    const { page } = await lab.open("/?view=both&p=8&c=6&t=20", { width });
    await reached(page, 20);
    await until("the picture is drawn", async () => (await picture(page)).height > 190);
    heights[width] = await picture(page);
    await lab.closePages();
  }
  assert.ok(heights[1600].width > 1400 && heights[1600].height < heights[1280].height - 60, JSON.stringify(heights));
  assert.ok(heights[320].width < 320, JSON.stringify(heights));
});

test("one alone keeps its usual width on a wide page", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=5", { width: 1920 });
  await reached(page, 5);
  assert.ok((await picture(page)).width < 960);
});

test("its link restores it in a clean browser", async () => {
  const { page } = await lab.open("/?view=both&p=7&t=5", { width: 1000 });
  await reached(page, 5);
  await pressByKey(page, /^Add a second team$/);
  await pressByKey(page, /^Burst of/);
  await step(page, 3);
  const before = await hash(page);
  await pressByKey(page, /^Share$/);
  const link = await until("a link", () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector("#ql-share input")?.value));
  await lab.closePages();
  const { page: other } = await lab.open(new URL(link).pathname + new URL(link).search, { width: 320 });
  await reached(other, 8);
  assert.equal(await hash(other), before);
});

for (const scheme of ["light", "dark"]) {
  test(`axe finds nothing on both sides with dead letters open, ${scheme}`, async () => {
    for (const width of [320, 1600]) {
      const { page } = await lab.open("/?view=both&p=6&c=6&poison=20&attempts=2&dlq=kept&t=20", { width, scheme });
      await reached(page, 20);
      await page.getByRole("button", { name: /dead letters? · Open/ }).first().evaluate((own) => own.click());
      await until("the list", () => textAt(page, ".letters tbody tr"));
      await page.getByRole("button", { name: "All numbers" }).first().evaluate((own) => own.click());
      assert.deepEqual(await faultsOf(page), [], `${width} px`);
      assert.ok((await snapshot(page)).t_seconds === 20);
      await lab.closePages();
    }
  });
}
