// Every flow of the page, walked by keyboard alone: Tab, Enter, Space, arrows and letters. After each press
// the focus is still inside, and something is seen to have happened.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { startLab } from "./harness.mjs";
import { fileDialogueAfter, nameOfFocused, pressByKey, reached, snapshot, step, tabTo, textAt, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const WIDTHS = [1000, 320];

const isInside = (page) => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement !== null);

/** Presses the control of that name, and sees that the focus is still inside afterwards. */
async function press(page, name) {
  await pressByKey(page, name);
  await until(`the focus is inside after ${name}`, () => isInside(page), { within: 2_000 });
}

/** A key pressed where the focus is, after which it is still inside. */
async function key(page, ...names) {
  for (const name of names) await page.keyboard.press(name);
  await until(`the focus is inside after ${names}`, () => isInside(page), { within: 2_000 });
}

const said = (page, pattern) => until(`“${pattern}” is said`, async () => pattern.test(await textAt(page, ".said")), { within: 5_000 });
const isOpen = (page, id) => page.evaluate((name) => !document.querySelector("queue-lab").shadowRoot.querySelector(`#ql-${name}`).hidden, id);
const announced = (page, pattern) => until(`“${pattern}” is announced`, async () => pattern.test(await textAt(page, '[role="status"]')), { within: 5_000 });

const focusedId = (page) => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement?.id);

/** Goes with Tab to the control of that id: a field has the same name as the slider beside it. */
async function tabToId(page, id) {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await focusedId(page) === id) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${id}`);
}

/** Opens a page, walks it, and sees that nothing went wrong in it. */
function walk(name, path, act) {
  for (const width of WIDTHS) {
    test(`${name}, by keyboard alone, ${width} px`, async () => {
      const { page, log, seen } = await lab.open(path, { width });
      const at = /\bt=(\d+)/.exec(path);
      if (at) await reached(page, Number(at[1]));
      await act(page, width);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "it scrolls sideways");
      const { violations } = await seen();
      assert.deepEqual({ violations, errors: log.pageErrors, console: log.console }, { violations: [], errors: [], console: [] });
    });
  }
}

walk("start, pause, step, speed, reset and the prepared run", "/", async (page) => {
  await press(page, /^Start$/);
  await until("it runs", async () => (await snapshot(page)).is_playing);
  await key(page, "Space");
  await until("it is paused", async () => !(await snapshot(page)).is_playing);
  await press(page, /^Step$/);
  const { t_seconds: before } = await snapshot(page);
  await key(page, "Shift+Enter");
  await until("the next instant", async () => { const { t_seconds: now } = await snapshot(page); return now > before && now < before + 1; });
  await tabTo(page, /^Speed$/);
  await key(page, "ArrowDown");
  await until("the speed", async () => (await snapshot(page)).speed === 2);
  await press(page, /^Reset$/);
  await until("the start", async () => (await snapshot(page)).t_seconds === 0);
  await press(page, /^Show me/);
  await until("the prepared run", async () => (await snapshot(page)).producer_rate_per_second === 8);
});

walk("the two dials", "/", async (page) => {
  await tabTo(page, /^Producer rate$/);
  await key(page, "ArrowRight", "ArrowRight");
  await until("the slider", async () => (await snapshot(page)).producer_rate_per_second === 7);
  await tabTo(page, /^more$/);
  await key(page, "Space");
  await until("the button beside it", async () => (await snapshot(page)).producer_rate_per_second === 8);
  await tabToId(page, "ql-c-number");
  await key(page, "ControlOrMeta+a", "3", "Enter");
  await until("the field", async () => (await snapshot(page)).consumer_rate_per_second === 3);
});

walk("the log, and what can be added to it", "/?t=2", async (page) => {
  await press(page, /^Log$/);
  await until("the log", async () => (await snapshot(page)).topics.length > 0);
  assert.match(await nameOfFocused(page), /^Log$/);
  await step(page, 3);
  for (const [name, words] of [[/^Add a partition/, /partition/], [/^Add a consumer/, /consumer/i], [/^Add a second team/, /team/]]) {
    await press(page, name);
    await said(page, words);
    assert.match(await nameOfFocused(page), name, "the focus stays where it was pressed");
  }
  await press(page, /^Queue$/);
  await until("the queue", async () => (await snapshot(page)).topics.length === 0);
});

for (const view of ["queue", "log"]) {
  walk(`everything that breaks a ${view}, and mends it`, `/?view=${view}&p=6&c=6&t=3`, async (page) => {
    await press(page, /^(More ways|Break it)/);
    assert.equal(await isOpen(page, "ways"), true);
    for (const id of ["consumer", "consumer", "burst", "database", "database", "crash", "restart", "hang", "restart", "crash-loop", "restart", "crash-finishing", "producer", "producer", "broker", "broker", "schema", "schema"]) {
      const own = await page.evaluate((name) => document.querySelector("queue-lab").shadowRoot.querySelector(`#ql-break-${name}`).innerText.trim(), id);
      const before = await textAt(page, ".said");
      await press(page, new RegExp(`^${own}$`));
      await until(`${own} is answered`, async () => { const now = await textAt(page, ".said"); return now && (now !== before || /Nothing/.test(now)); }, { within: 5_000 });
      assert.equal(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement.id), `ql-break-${id}`, "the focus stays where it was pressed");
      await step(page, 1);
    }
    await key(page, "Escape");
    assert.equal(await isOpen(page, "ways"), false);
    assert.match(await nameOfFocused(page), /^(More ways|Break it)/, "the focus is at the button of what was closed");
  });
}

walk("a message is traced: from the list, by its number, and put away", "/?p=8&c=6&t=20", async (page) => {
  await press(page, /^Trace a message/);
  assert.equal(await isOpen(page, "trace"), true);
  await tabTo(page, /^Trace message \d+/);
  const picked = /\d+/.exec(await nameOfFocused(page))[0];
  await key(page, "Enter");
  await until("its journey", async () => new RegExp(`\\b${picked}\\b`).test(await textAt(page, ".journey h3")));
  assert.ok((await textAt(page, ".journey ol")).length > 10);
  await announced(page, new RegExp(`\\b${picked}\\b`));
  await tabTo(page, /^Message number/);
  await key(page, "5", "Enter");
  await until("the other journey", async () => /\b5\b/.test(await textAt(page, ".journey h3")));
  await key(page, "ControlOrMeta+a");
  await page.keyboard.type("zzz");
  await key(page, "Enter");
  await until("what is wrong is said", async () => ((await textAt(page, ".trace-field .problem")) ?? "").length > 0);
  await key(page, "Escape");
  await until("it is closed", async () => !(await isOpen(page, "trace")));
  assert.match(await nameOfFocused(page), /^Trace a message/);
});

walk("the further charts, the numbers, and what the terms mean", "/?p=8&c=6&t=20", async (page) => {
  for (const [name, id, content] of [[/^More charts/, "charts", "canvas"], [/^All numbers/, "table", ".balance"], [/^What the words mean/, "glossary", "dt"]]) {
    await press(page, name);
    assert.equal(await isOpen(page, id), true, id);
    assert.ok(await page.evaluate(([own, what]) => document.querySelector("queue-lab").shadowRoot.querySelector(`#ql-${own} ${what}`) !== null, [id, content]), `${id} has ${content}`);
    await key(page, "Enter");
    assert.equal(await isOpen(page, id), false, id);
    await key(page, "Enter", "Escape");
    assert.equal(await isOpen(page, id), false, `${id} by Escape`);
    assert.match(await nameOfFocused(page), name);
  }
});

walk("the run is shared and saved", "/?p=8&c=6&t=5", async (page) => {
  await press(page, /^Share$/);
  await tabTo(page, /^Link/);
  await tabTo(page, /^Copy/);
  await key(page, "Enter");
  await announced(page, /cop/i);
  for (const [name, file, has] of [[/^Save this run/, "queue-lab.json", '"format":1'], [/\(SVG\)/, "queue-lab.svg", "<title>"], [/\(PNG\)/, "queue-lab.png", "PNG"], [/\(CSV\)/, "queue-lab.csv", "start_seconds,"]]) {
    await tabTo(page, name);
    const [download] = await Promise.all([page.waitForEvent("download"), key(page, "Enter")]);
    assert.equal(download.suggestedFilename(), file);
    assert.ok(readFileSync(await download.path(), "latin1").includes(has), file);
    assert.match(await nameOfFocused(page), name, "the focus stays where it was pressed");
  }
  await key(page, "Escape");
  assert.match(await nameOfFocused(page), /^Share$/);
  await tabTo(page, /^Open a scenario file/);
  const chooser = await fileDialogueAfter(page, () => page.keyboard.press("Enter"));
  await chooser.setFiles({ name: "mine.json", mimeType: "application/json", buffer: Buffer.from('{"format":1,"title":"Mine","settings":{"p":3}}') });
  await announced(page, /“Mine” is open/);
});

walk("looking back, and another future from there", "/?p=8&c=6&t=30", async (page) => {
  await tabTo(page, /^Look back$/);
  await key(page, "Home");
  await until("the start", async () => (await snapshot(page)).t_seconds === 0);
  await key(page, "PageUp", "ArrowRight");
  const { t_seconds: past } = await reachedSome(page);
  assert.ok(past > 0 && past < 30, `${past} s`);
  assert.match(await textAt(page, ".past"), /\S/, "what a change would drop is said");
  await press(page, /^Back to/);
  await until("the end", async () => (await snapshot(page)).t_seconds === 30);
  await tabTo(page, /^Look back$/);
  await key(page, "Home", "ArrowRight", "ArrowRight");
  await until("2 s", async () => (await snapshot(page)).t_seconds === 2);
  await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement.blur());
  await tabTo(page, /^Producer rate$/);
  await key(page, "ArrowLeft");
  await until("the new dial", async () => (await snapshot(page)).producer_rate_per_second === 7.5);
  assert.equal(await textAt(page, ".past"), undefined, "the old future is gone");
});

const reachedSome = (page) => until("it stands still", async () => { const now = await snapshot(page); return !now.is_playing && now; });

walk("dials are moved, seen as changed, and put back one by one and all at once", "/?t=3", async (page) => {
  await press(page, /^(More dials|Dials)$/);
  await press(page, /^Broker$/);
  await tabToId(page, "ql-broker-input");
  await press(page, /^Consumers$/);
  await tabToId(page, "ql-prefetch-input");
  await key(page, "ControlOrMeta+a", "5", "Enter");
  await press(page, /^Arrivals$/);
  await tabToId(page, "ql-message_bytes-input");
  await key(page, "ControlOrMeta+a", "9", "Enter");
  await until("both are listed", async () => /2 changed/.test(await textAt(page, ".changed")));
  await press(page, /^Put back: /);
  await until("one is left", async () => /1 changed/.test(await textAt(page, ".changed")));
  assert.match(await nameOfFocused(page), /^Put back: /, "the focus is at the one that is left");
  await key(page, "Enter");
  await until("none is left", async () => (await textAt(page, ".changed")) === undefined);
  assert.equal(await nameOfFocused(page), "Arrivals", "the dial is in a group that is closed: the focus is at the one that is open");
  await tabToId(page, "ql-message_bytes-input");
  await key(page, "ControlOrMeta+a", "8", "Enter");
  await until("it is listed", async () => /1 changed/.test(await textAt(page, ".changed")));
  await press(page, /^Put back: /);
  await until("none is left", async () => (await textAt(page, ".changed")) === undefined);
  assert.equal(await focusedId(page), "ql-message_bytes-input", "the focus is at the dial");
  await key(page, "ControlOrMeta+a", "8", "Enter");
  await press(page, /^Consumers$/);
  await tabToId(page, "ql-prefetch-input");
  await key(page, "ControlOrMeta+a", "5", "Enter");
  await press(page, /^Put all 2 back/);
  await until("none is left", async () => (await textAt(page, ".changed")) === undefined);
  assert.equal(await nameOfFocused(page), "Consumers", "the focus is at the group that is open");
  await key(page, "Escape");
  assert.match(await nameOfFocused(page), /^(More dials|Dials)$/);
});

walk("what an instructor has: help, projector, full screen, and parts put away", "/?p=8&c=6&t=10", async (page, width) => {
  if (width > 600) {
    await press(page, /^Keys/);
    await until("the list", () => isOpen(page, "help"));
    await tabTo(page, /^Close/);
    await key(page, "Enter");
    await until("it is closed", async () => !(await isOpen(page, "help")));
  }
  await press(page, /^Projector/);
  await until("the projector", async () => await page.locator(".ql").getAttribute("data-theme") === "projector");
  await key(page, "Enter");
  await press(page, /^Full screen/);
  await until("the full screen", () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.fullscreenElement !== null));
  await key(page, "Enter");
  await until("it is given back", () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.fullscreenElement === null));
  await tabTo(page, /^Producer rate$/);
  for (const [letter, part] of [["d", ".dials"], ["c", ".ql-body > .charts"], ["t", ".story"]]) {
    await key(page, letter);
    await until(`${part} is away`, async () => !(await page.locator(part).isVisible()));
    await key(page, letter);
    await until(`${part} is back`, () => page.locator(part).isVisible());
  }
});

walk("a locked dial is reached and says why; what is hidden is not reached", "/?p=8&c=6&lock=p&hide=share,reset&t=2", async (page) => {
  await tabTo(page, /^Producer rate$/);
  await key(page, "ArrowRight");
  await announced(page, /locked/i);
  assert.equal((await snapshot(page)).producer_rate_per_second, 8);
  assert.ok(await page.evaluate(() => {
    const root = document.querySelector("queue-lab").shadowRoot;
    const ids = (root.activeElement.getAttribute("aria-describedby") ?? "").split(" ");
    return ids.some((id) => /locked/i.test(root.getElementById(id)?.textContent ?? ""));
  }), "its description says that it is locked");
  await assert.rejects(tabTo(page, /^Share$/));
  await assert.rejects(tabTo(page, /^Reset$/));
});

const TICKED = "/?p=8&c=2&workers=6&dlq=kept&attempts=1&poison=20&t=20";

walk("dead letters are ticked, redriven, thrown away, and their journeys read", TICKED, async (page) => {
  await press(page, /dead letters · Open/);
  const dead = async () => (await snapshot(page)).dead_letters;
  const [before] = [await dead()];
  assert.ok(before > 3, `${before} dead letters`);
  await press(page, /^Trace message /);
  await until("the journey", () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector('.letters tr:not([hidden]) td[colspan]') !== null));
  await key(page, "Escape");
  assert.match(await nameOfFocused(page), /^Trace message /, "Escape closes the journey alone");
  assert.equal(await isOpen(page, "dead"), true);
  await tabTo(page, /^Select message \d/);
  await key(page, "Space");
  await press(page, /^Redrive 1 selected/);
  await step(page, 2);
  await until("one went", async () => (await dead()) !== before);
  await press(page, /^Discard all/);
  await until("all are gone", async () => (await dead()) === 0);
  await key(page, "Escape");
  assert.match(await nameOfFocused(page), /dead letters/);
});
