// The switch between queue and log, and what can be added to a log.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { startLab } from "./harness.mjs";
import { reached, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const pressed = (page, name) => page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");
const pictureOf = (page) => page.locator(".scene canvas").getAttribute("aria-label");

test("the switch leads to the log and back by keyboard, and keeps the dials", async () => {
  const { page, log } = await lab.open("/?p=9&c=4");
  assert.deepEqual([await pressed(page, "Queue"), await pressed(page, "Log")], ["true", "false"]);
  await page.getByRole("button", { name: "Log", exact: true }).press("Enter");
  await until("the log is shown", async () => (await pressed(page, "Log")) === "true");
  const now = await snapshot(page);
  assert.deepEqual([now.producer_rate_per_second, now.topics.length, now.topics[0].partitions.length], [9, 4, 1]);
  assert.match(await pictureOf(page), /topic orders with 1 partition/);
  await page.getByRole("button", { name: "Queue", exact: true }).press(" ");
  await until("the queue is shown", async () => (await pressed(page, "Queue")) === "true");
  assert.deepEqual([(await snapshot(page)).producer_rate_per_second, (await snapshot(page)).topics.length], [9, 0]);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("partitions, consumers and a second team are added by their buttons", async () => {
  const { page } = await lab.open("/?p=6&c=4&view=log&t=5");
  await reached(page, 5);
  for (const name of ["Add a partition", "Add a consumer", "Add a second team"]) await page.getByRole("button", { name }).click();
  await until("all three are there", async () => {
    const { topics, groups, consumer_count: count } = await snapshot(page);
    return topics[0].partitions.length === 2 && groups[1].members > 0 && count === 2;
  });
  const team = page.getByRole("button", { name: "Add a second team" });
  assert.equal(await team.getAttribute("aria-disabled"), "true", "it stays, and says that the team is there");
  assert.equal(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement?.innerText), "Add a second team");
});

test("under a finger the switch is 44 px high, and the page is no wider than a phone", async () => {
  const { page } = await lab.open("/?view=log", { width: 320, height: 568, touch: true });
  const box = await page.getByRole("button", { name: "Log", exact: true }).boundingBox();
  assert.ok(box.height >= 44, `${box.height} px`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= 320), true);
});
