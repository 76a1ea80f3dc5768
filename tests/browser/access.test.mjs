// Everybody can use it: without a mouse, without seeing the canvas, without
// motion, in light and dark.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { faultsOf } from "./axe.mjs";
import { pageWith, settled, startLab } from "./harness.mjs";
import { call, each, fileDialogueAfter, openTable, quiet, reached, shown, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const button = (page, name) => page.getByRole("button", { name });

for (const scheme of ["light", "dark"]) {
  for (const width of [320, 1000]) {
    test(`axe finds nothing, at rest, running, and full with everything open, ${scheme}, ${width} px`, async () => {
      const { page } = await lab.open("/?p=8&c=6&speed=10", { scheme, width });
      assert.equal(await page.locator(".ql").getAttribute("data-theme"), scheme);
      const rest = await faultsOf(page);
      await call(page, "play");
      await until("it grows", async () => (await snapshot(page)).sentence_kind === "will-fill");
      const running = await faultsOf(page);
      await call(page, "set", "t=60&colour=red&seed=x");
      await reached(page, 60);
      await button(page, /^(More dials|Dials)$/).click();
      await button(page, "All numbers").click();
      await page.getByRole("textbox", { name: /^Seed/ }).fill("x");
      await page.keyboard.press("Enter");
      await until("the field is marked", async () => (await page.locator('[aria-invalid="true"]').count()) === 1);
      assert.match((await snapshot(page)).sentence_kind, /^full/);
      const full = await faultsOf(page);
      assert.deepEqual({ rest, running, full }, { rest: [], running: [], full: [] });
    });
  }
}

test("the page that is delivered has a heading of the first level", async () => {
  const { page } = await lab.open("/");
  assert.equal(await page.locator("h1").count(), 1);
});

const AROUND = (inside) => pageWith(`<h1>Host</h1><button id="above">Above</button>${inside}<button id="below">Below</button>`);

/** Which control has focus, as its name and kind, and whether a ring can be seen on it. */
function focused(page) {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const style = getComputedStyle(active);
    const label = active.closest("label");
    const ring = (element) => element !== null && getComputedStyle(element).outlineStyle !== "none" && parseFloat(getComputedStyle(element).outlineWidth) >= 2;
    const box = active.getBoundingClientRect();
    return {
      name: active.id || active.getAttribute("aria-label") || active.textContent.trim() || active.type,
      ring: style.outlineStyle === "auto" || ring(active) || ring(label),
      inView: box.bottom > 0 && box.top < innerHeight,
    };
  });
}

async function walk(page, key, end) {
  const seen = [];
  for (let step = 0; step < 80; step += 1) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (now.name === end) return seen;
    seen.push(now);
  }
  throw new Error(`${key} never came to ${end}: ${seen.map(({ name }) => name).join(", ")}`);
}

const CONTROLS = () => {
  const root = document.querySelector("queue-lab").shadowRoot;
  const controls = [...root.querySelectorAll("button, input, select, a[href], [tabindex]")];
  return controls.filter((element) => element.getClientRects().length > 0 && element.tabIndex >= 0 && !element.disabled)
    .map((element) => element.id || element.getAttribute("aria-label") || element.textContent.trim() || element.type);
};

for (const width of [320, 1000]) {
  test(`Tab visits every control in reading order, with a ring, and leaves on both sides, ${width} px`, async () => {
    lab.server.files["/host.html"] = AROUND('<queue-lab p="8" colour="red"></queue-lab>');
    const { page } = await lab.open("/host.html", { width });
    assert.equal(await page.evaluate(() => document.activeElement.localName), "body", "loading moves no focus");
    await call(page, "set", "nonsense=1");
    await button(page, /^(More dials|Dials)$/).click();
    await button(page, "All numbers").click();
    await page.locator("#above").focus();
    const forwards = await walk(page, "Tab", "below");
    const names = forwards.map(({ name }) => name);
    assert.deepEqual(names, await page.evaluate(CONTROLS));
    assert.ok(names.length >= 30, `${names.length} controls`);
    assert.deepEqual(forwards.filter(({ ring }) => !ring).map(({ name }) => name), [], "without a visible ring");
    assert.deepEqual(forwards.filter(({ inView }) => !inView).map(({ name }) => name), [], "out of view");
    const backwards = await walk(page, "Shift+Tab", "above");
    assert.deepEqual(backwards.map(({ name }) => name), names.toReversed());
  });

  test(`where controls are seen is the order in which Tab visits them, ${width} px`, async () => {
    const { page } = await lab.open("/?p=8", { width });
    // Right of or below the one before: no step upwards by more than a row.
    const upwards = await page.evaluate(() => {
      const root = document.querySelector("queue-lab").shadowRoot;
      const boxes = [...root.querySelectorAll("button, input, select")].filter((element) => element.getClientRects().length > 0)
        .map((element) => ({ name: element.id || element.textContent.trim() || element.type, box: element.getBoundingClientRect() }));
      const beside = (a, b) => b.box.left >= a.box.right - 1;
      return boxes.slice(1).filter((now, at) => now.box.bottom <= boxes[at].box.top && !beside(boxes[at], now)).map(({ name }) => name);
    });
    assert.deepEqual(upwards, []);
  });
}

test("everything can be done by keyboard", async () => {
  const { page } = await lab.open("/");
  const press = async (locator, key) => { await locator.focus(); await page.keyboard.press(key); };
  await press(page.getByRole("button", { name: "Show me: 8 against 6" }), "Enter");
  await until("it plays", async () => (await snapshot(page)).is_playing);
  await press(page.getByRole("button", { name: "Pause" }), "Space");
  assert.equal((await snapshot(page)).is_playing, false);
  await press(page.getByRole("button", { name: "Reset" }), "Enter");
  await press(page.getByRole("combobox", { name: "Speed" }), "ArrowDown");
  await until("the speed", async () => (await snapshot(page)).speed === 2);
  await press(page.getByRole("button", { name: "Burst of 50" }), "Enter");
  await until("the burst", async () => (await snapshot(page)).offered === 50);
  await press(page.getByRole("button", { name: /^(More dials|Dials)$/ }), "Enter");
  await press(page.getByRole("button", { name: "Consumers more" }), "Enter");
  await until("two consumers", async () => (await snapshot(page)).consumer_count === 2);
  await press(page.getByRole("combobox", { name: "When the queue is full" }), "Home");
  await until("blocking", async () => (await snapshot(page)).overflow_policy === "block");
  await press(page.getByRole("checkbox", { name: "No bound" }), "Space");
  await until("no bound", async () => (await snapshot(page)).queue_bound_messages === "none");
  await press(page.getByRole("button", { name: "All numbers" }), "Enter");
  await until("the table", () => page.locator(".numbers").isVisible());
  await press(page.getByRole("button", { name: /^(More dials|Dials)$/ }), "Enter");
  await until("the dials are closed", async () => !(await page.locator(".fields").isVisible()));
  const chooser = await fileDialogueAfter(page, () => press(page.getByLabel("Open a scenario file"), "Enter"));
  assert.ok(chooser);
});

test("focus stays where it is while it runs, and the wheel changes nothing", async () => {
  const { page } = await lab.open("/?p=8&c=6&play=1&speed=100");
  for (const locator of [page.getByRole("slider", { name: "Producer rate" }), page.getByRole("textbox", { name: /^Consumer rate/ }), page.getByRole("button", { name: "Step" })]) {
    await locator.focus();
    const { name } = await focused(page);
    const { t_seconds } = await snapshot(page);
    await until("it goes on", async () => (await snapshot(page)).t_seconds > t_seconds + 30);
    assert.equal((await focused(page)).name, name);
    await locator.hover();
    await page.mouse.wheel(0, 100);
  }
  const { producer_rate_per_second: p, consumer_rate_per_second: c } = await snapshot(page);
  assert.deepEqual([p, c], [8, 6]);
});

test("keys act only inside, and only on the control that has focus", async () => {
  lab.server.files["/host.html"] = AROUND("<queue-lab></queue-lab>");
  const { page } = await lab.open("/host.html");
  await page.locator("#above").focus();
  const start = await snapshot(page);
  for (const key of ["s", "p", "ArrowRight", "r", "1", "?", "Escape"]) await page.keyboard.press(key);
  assert.deepEqual(await snapshot(page), start);
});

test("there is one live region, polite, and it is there before it is used", async () => {
  const { page } = await lab.open("/?p=8");
  const regions = await page.evaluate(() => {
    const root = document.querySelector("queue-lab").shadowRoot;
    return [...root.querySelectorAll('[role="status"], [role="alert"], [role="log"], [aria-live]')].map((region) => [region.getAttribute("role"), region.getAttribute("aria-live"), region.textContent]);
  });
  assert.deepEqual(regions, [["status", "polite", ""]]);
});

/** Keeps what the live region says and when, in `__said`. */
function listenTo(page) {
  return page.evaluate(() => {
    window.__said = [];
    const region = document.querySelector("queue-lab").shadowRoot.querySelector('[role="status"]');
    new MutationObserver(() => {
      const text = region.textContent.trim();
      if (text !== "") window.__said.push({ at: performance.now(), text });
    }).observe(region, { subtree: true, childList: true, characterData: true });
  });
}

const said = (page) => page.evaluate(() => window.__said);
const aSaying = (page, count) => until(`${count} announcements`, async () => { const all = await said(page); return all.length >= count && all; });

test("a dial is announced once, a second after it came to rest, in words without commas", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await listenTo(page);
  await page.evaluate(() => {
    document.querySelector("queue-lab").shadowRoot.addEventListener("input", () => { window.__moved = performance.now(); }, true);
  });
  await page.getByRole("slider", { name: "Producer rate" }).focus();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowRight");
  const [first] = await aSaying(page, 1);
  const moved = await page.evaluate(() => window.__moved);
  assert.ok(first.at - moved >= 950, `${first.at - moved} ms after`);
  assert.ok(first.at - moved <= 3_000, `${first.at - moved} ms after`);
  assert.match(first.text, /^With these dials 10 will arrive and 6 will finish each second/);
  await quiet(1_500);
  assert.equal((await said(page)).length, 1);
});

test("what a person does is answered at once: step, start, pause, reset; also twice the same", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await listenTo(page);
  await button(page, "Step").click();
  await until("step", async () => (await said(page)).some(({ text }) => text === "One step, at 00:01."));
  await button(page, "Start").click();
  await until("start", async () => /^It runs\.$/.test((await said(page)).at(-1)?.text));
  await button(page, "Pause").click();
  await until("pause", async () => /^Paused at /.test((await said(page)).at(-1)?.text));
  for (let time = 0; time < 2; time += 1) {
    const before = (await said(page)).length;
    await button(page, "Reset").click();
    await until("reset", async () => { const all = await said(page); return all.length > before && all.at(-1).text === "Back at the start."; });
  }
});

test("while it is paused nothing is announced unasked", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=40");
  await reached(page, 40);
  await listenTo(page);
  await page.setViewportSize({ width: 500, height: 600 });
  await page.emulateMedia({ colorScheme: "dark" });
  await quiet(1_500);
  assert.deepEqual(await said(page), []);
});

test("while it runs, what nobody asked for is at least five seconds apart", async (t) => {
  const commands = Array.from({ length: 60 }, (_, number) => ({ at: 5 + number * 10, do: "set", settings: { p: number % 2 ? 3 : 9 } }));
  lab.server.files["/restless.json"] = JSON.stringify({ format: 1, settings: { p: 3, c: 6 }, commands });
  const { page } = await lab.open("/?scenario=restless.json&speed=10");
  await listenTo(page);
  await call(page, "play");
  const all = await until("three announcements", async () => { const all = (await said(page)).filter(({ text }) => text !== "It runs."); return all.length >= 3 && all; }, { within: 40_000 });
  const gaps = all.slice(1).map(({ at }, index) => at - all[index].at);
  t.diagnostic(`gaps of ${gaps.map((gap) => gap.toFixed(0)).join(", ")} ms`);
  for (const gap of gaps) assert.ok(gap >= 4_800, `${gap} ms`);
});

test("sliders are plain range inputs with a label and a spoken value, units included and no commas", async () => {
  const { page } = await lab.open("/?p=1234.5&c=60000");
  const sliders = await page.evaluate(() => [...document.querySelector("queue-lab").shadowRoot.querySelectorAll('input[type="range"]')].map((slider) => ({
    label: slider.labels[0]?.textContent, spoken: slider.getAttribute("aria-valuetext"),
    others: slider.getAttributeNames().filter((name) => name === "role" || /^aria-value(now|min|max)/.test(name)),
  })));
  assert.deepEqual(sliders, [
    { label: "Producer rate", spoken: "1234.5 messages per second", others: [] },
    { label: "Consumer rate", spoken: "60000 per second", others: [] },
    { label: "Look back", spoken: "00:00 of 00:00", others: [] },
  ]);
});

test("everything to press is at least 24 px wide and high, and 44 px by touch where steps are", async () => {
  const { page } = await lab.open("/?p=8&nonsense=1", { width: 320, touch: true });
  await button(page, /^(More dials|Dials)$/).click();
  const small = await page.evaluate(() => [...document.querySelector("queue-lab").shadowRoot.querySelectorAll("button, select, input")]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => ({ name: element.id || element.getAttribute("aria-labelledby") || element.textContent.trim() || element.type, least: element.classList.contains("step") ? 44 : 24, box: (element.type === "checkbox" ? element.closest("label") : element).getBoundingClientRect() }))
    .filter(({ box, least }) => box.width < least - 0.01 || box.height < least - 0.01).map(({ name, box }) => `${name} ${box.width} x ${box.height}`));
  assert.deepEqual(small, []);
});

/** Runs in the page first: the texts of each canvas's last painting, in `__texts`. */
function keepTexts() {
  window.__texts = new Map();
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) { window.__texts.set(this.canvas, []); return clearRect.apply(this, given); };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...given) { window.__texts.get(this.canvas)?.push(text); return fillText.call(this, text, ...given); };
}

const paintedTexts = (page) => page.evaluate(() => [...document.querySelector("queue-lab").shadowRoot.querySelectorAll("canvas")].map((canvas) => window.__texts.get(canvas) ?? []));

const runs = [
  "p=8&c=2&workers=3&capacity=60&t=42", "p=8&c=6&overflow=drop-oldest&t=60", "p=8&c=6&overflow=reject&t=71", "p=8&c=6&overflow=block&t=45",
  "p=12.345&c=6&t=9", "p=0.125&c=6&t=30", "scenario=flood&t=3", "scenario=memory-alarm&t=120", "p=3&c=6&workers=20&t=10", "p=8&c=6&t=61&overflow=drop-new",
];

for (const width of [320, 1000]) {
  test(`the table has every number of the picture, ${width} px`, async () => {
    const { page } = await lab.open("/", { width, before: keepTexts });
    await each(runs, (run) => run, async (run) => {
      await page.goto(`${lab.server.origin}/?${run}`);
      await settled(page);
      await reached(page, Number(/\bt=(\d+)/.exec(run)[1]));
      await openTable(page);
      const { table } = await shown(page);
      const rows = Object.entries(table).flat().join(" | ").replaceAll(",", "").replaceAll("\u00a0", " ");
      const [scene] = await paintedTexts(page);
      assert.ok(scene.length > 4, "the picture has words");
      for (const text of scene) {
        assert.doesNotMatch(text, /^ ?[a-z_]+\.[a-z_]/, "a key in place of its text");
        for (const number of text.replaceAll(",", "").match(/\d+(\.\d+)?( (thousand|million))?/g) ?? []) {
          // Large counts are shortened in the picture and whole in the table.
          if (/thousand|million/.test(number)) continue;
          assert.ok(new RegExp(`(^|[^\\d.])${number.replace(".", "\\.")}($|[^\\d.]|\\.\\D)`).test(rows), `“${number}” of “${text}” is not in the table`);
        }
      }
    });
  });
}

test("no rate is cut off in the picture", async () => {
  const { page } = await lab.open("/?p=12.345&c=6.789&workers=3&t=2", { before: keepTexts });
  await reached(page, 2);
  const [scene] = await paintedTexts(page);
  assert.deepEqual(scene.filter((text) => text.includes("…")), []);
});

test("captions of the charts are in the table too", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=42");
  await reached(page, 42);
  await openTable(page);
  const { table } = await shown(page);
  const captions = await page.evaluate(() => [...document.querySelector("queue-lab").shadowRoot.querySelectorAll("figcaption b")].map((value) => value.textContent));
  assert.deepEqual(captions.slice(0, 2), [table["Waiting (queue depth)"], table["Oldest waiting"]]);
  assert.equal(captions[2], table["Dropped on arrival"]);
});

test("no text of the page is a key, and none has a hole in it", async () => {
  const { page } = await lab.open("/");
  for (const run of runs.slice(0, 4)) {
    await page.goto(`${lab.server.origin}/?${run}&p=x`);
    await settled(page);
    const text = await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.textContent);
    assert.doesNotMatch(text, /[{}]|\b(undefined|NaN|null)\b|\b[a-z_]+\.[a-z_]+\.[a-z_]+/);
  }
});

/** How many different pictures there are in so many frames of a running widget. */
function pictures(page, frames) {
  return page.evaluate(async (count) => {
    const canvas = document.querySelector("queue-lab").shadowRoot.querySelector(".scene canvas");
    const seen = new Set();
    const began = performance.now();
    for (let frame = 0; frame < count; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      seen.add(canvas.toDataURL());
    }
    return { different: seen.size, seconds: (performance.now() - began) / 1_000 };
  }, frames);
}

test("with reduced motion dots stand still and the picture changes with the numbers only", async (t) => {
  const query = "/?p=1&c=1&play=1";
  const full = await lab.open(query);
  const reduced = await lab.open(query, { reducedMotion: "reduce" });
  assert.equal(await full.page.locator(".ql").getAttribute("data-motion"), "full");
  assert.equal(await reduced.page.locator(".ql").getAttribute("data-motion"), "reduced");
  await until("both run", async () => (await snapshot(reduced.page)).t_seconds > 1.5 && (await snapshot(full.page)).t_seconds > 1.5);
  const moving = await pictures(full.page, 40);
  const still = await pictures(reduced.page, 90);
  t.diagnostic(`${moving.different} pictures in ${moving.seconds.toFixed(1)} s with motion, ${still.different} in ${still.seconds.toFixed(1)} s without`);
  assert.ok(moving.different > 15);
  // One message a second: it arrives, and its consumer's share may be drawn twice a second.
  assert.ok(still.different <= 2 + 4 * Math.ceil(still.seconds));
});

test("reduced motion can be switched on while it runs", async () => {
  const { page } = await lab.open("/?play=1");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await until("it follows", async () => (await page.locator(".ql").getAttribute("data-motion")) === "reduced");
});

test("with text twice as large, nothing is cut off and nothing scrolls sideways", async () => {
  for (const width of [320, 640]) {
    lab.server.files["/large.css"] = "html { font-size: 200% } queue-lab { font-size: 2rem }";
    lab.server.files["/large.html"] = pageWith('<queue-lab p="8"></queue-lab>').replace("<title>", '<link rel="stylesheet" href="large.css"><meta name="viewport" content="width=device-width"><title>');
    const { page } = await lab.open("/large.html", { width });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
  }
});
