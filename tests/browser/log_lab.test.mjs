// The lab where a log is shown, by keyboard alone: poison in a named partition, its policy, its dead letters.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { startLab } from "./harness.mjs";
import { pressByKey as press, reached, snapshot, step, tabTo, textAt as text, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

async function walk(width) {
  const { page, log, seen } = await lab.open("/?view=log&p=6&c=4&workers=2&t=5", { width });
  await reached(page, 5);
  await press(page, /^Add a partition/);
  await tabTo(page, /^Partition for the poison message/);
  await page.keyboard.press("ArrowDown");
  await press(page, /^Poison/);
  await until("it is said where", async () => /comes to partition 1 fails every time/.test(await text(page, ".said")));
  await step(page, 8);
  await until("the partition is stuck", async () => /Partition 1 is stuck/.test(await text(page, ".happening")));
  await tabTo(page, /^When a message fails/);
  await page.keyboard.press("d");
  await until("the policy is chosen", async () => /goes to a topic for dead letters/.test(await text(page, ".said")));
  await step(page, 3);
  await press(page, /^1 dead letter · Open/);
  await until("the list is open", async () => /partition 1, offset \d+/.test(await text(page, ".letters tbody")));
  await press(page, /^Trace message /);
  await until("the history is open", async () => /“orders-dead-letters”/.test(await text(page, ".letters tr:not([hidden]) td[colspan]")));
  await press(page, /^Send 1 back to the topic at 1 a second/);
  await step(page, 6);
  await until("it came back", async () => /1 of these came back/.test(await text(page, ".dead-letters .note")));
  await press(page, /^Deploy the fix/);
  await press(page, /^Send all back at once/);
  await step(page, 6);
  await until("it is done", async () => (await snapshot(page)).topics.every((topic) => topic.not_sent_back === 0));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  const { violations } = await seen();
  assert.deepEqual({ violations, errors: log.pageErrors, console: log.console }, { violations: [], errors: [], console: [] });
}

test("poison in a log is set aside, sent back and mended by keyboard alone", () => walk(1000));

test("the same on a phone", () => walk(320));

async function moveOffsets(width) {
  const { page, log, seen } = await lab.open("/?view=log&p=6&c=8&t=5", { width });
  await reached(page, 5);
  await press(page, width < 600 ? /^Break it/ : /^More ways/);
  await until("the dry run is refused", async () => /refused, because the group has 1 member and is not stopped\./.test(await text(page, "[id$=why-reset]")));
  await press(page, /^Stop the group/);
  await step(page, 2);
  await until("it says what it would do", async () => /Partition 0 goes from \d+ to 0\./.test(await text(page, "[id$=why-reset]")));
  await tabTo(page, /^Where the committed offsets go/);
  await page.keyboard.press("1");
  await until("another place is chosen", async () => /--shift-by -10: Partition 0 goes from/.test(await text(page, "[id$=why-reset]")));
  const before = (await snapshot(page)).groups[0].partitions[0].committed;
  await press(page, /^Move the offsets/);
  await until("they are moved", async () => (await snapshot(page)).groups[0].partitions[0].committed === before - 10);
  assert.match(await text(page, ".said"), /were moved\..* goes back over 10 records\.$/);
  await press(page, /^Start the group again/);
  await step(page, 4);
  await until("they are done once more", async () => (await snapshot(page)).groups[0].partitions[0].committed > before);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  const { violations } = await seen();
  assert.deepEqual({ violations, errors: log.pageErrors, console: log.console }, { violations: [], errors: [], console: [] });
}

test("a group is stopped, its offsets are moved and it reads again, by keyboard alone", () => moveOffsets(1000));

test("that on a phone", () => moveOffsets(320));
