// The poison lab, walked by keyboard alone: a message that fails every time is
// sent, it is set aside, redriven before the fix, and redriven after it.
import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import { startLab } from "./harness.mjs";
import { pressByKey as press, reached, snapshot, step, tabTo, textAt as text, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab.close());

async function walk(width) {
  const { page, log, seen } = await lab.open("/?p=5&c=2&workers=3&t=10", { width });
  await reached(page, 10);
  await press(page, /^Poison/);
  await until("poison was sent", async () => (await text(page, ".said"))?.startsWith("A message that fails every time was sent."));
  await step(page, 6);
  await until("it is told", async () => /keeps 1 of 3 consumers busy/.test(await text(page, ".happening")));
  await tabTo(page, /^When a message fails/);
  await page.keyboard.press("d");
  await until("the policy is chosen", async () => /set aside as a dead letter/.test(await text(page, ".said")));
  await step(page, 2);
  await press(page, /^1 dead letter · Open/);
  await until("the list is open", () => text(page, ".letters tbody tr"));
  await press(page, /^Trace message /);
  await until("the history is open", async () => /set aside as a dead letter/.test(await text(page, ".letters tr:not([hidden]) td[colspan]")));
  await press(page, /^Redrive 1 at 1 a second/);
  await step(page, 4);
  await until("it came back", async () => /1 of these came back/.test(await text(page, ".dead-letters .note")));
  await press(page, /^Deploy the fix/);
  await press(page, /^Redrive all at once/);
  await step(page, 3);
  await until("it is done", async () => (await snapshot(page)).dead_letters === 0);
  const { violations } = await seen();
  assert.deepEqual({ violations, errors: log.pageErrors, console: log.console }, { violations: [], errors: [], console: [] });
}

test("poison is sent, set aside, redriven and mended by keyboard alone", () => walk(1000));

test("the same on a phone", () => walk(320));

test("on a phone the row opens, and every button says what it will do", async () => {
  const { page } = await lab.open("/", { width: 320 });
  assert.equal(await page.getByRole("button", { name: "Stop a consumer" }).isVisible(), false);
  await press(page, /^Break it/);
  await until("it is open", () => page.getByRole("button", { name: "Stop a consumer" }).isVisible());
  const hint = page.getByText("It finishes what it has and takes nothing more.");
  assert.equal(await hint.isVisible(), true);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
});
