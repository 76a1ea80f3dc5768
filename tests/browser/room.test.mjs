// In front of a room and inside a course: keys, full screen, the projector, forced
// colours, large text, locked controls, groups of dials, and a focus that stays.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { faultsOf } from "./axe.mjs";
import { pageWith, settled, startLab } from "./harness.mjs";
import { call, each, reached, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const button = (page, name) => page.getByRole("button", { name });
const opener = (page) => button(page, /^(More dials|Dials)$/);
const announced = (page) => page.locator('[role="status"]').innerText();

/** The name of what has the focus: in the widget, or "outside". */
const focused = (page) => page.evaluate(() => {
  const inside = document.querySelector("queue-lab").shadowRoot.activeElement;
  return inside ? inside.getAttribute("aria-label") ?? inside.textContent.trim() : "outside";
});

/** Runs in the page first: the host's own keys, as it hears them. */
function hearKeys() {
  window.__keys = [];
  document.addEventListener("keydown", (event) => window.__keys.push(`${event.key}${event.defaultPrevented ? " taken" : ""}`));
}

test("keys act while the focus is inside, and the page around loses no other key", async () => {
  lab.server.files["/host.html"] = pageWith('<button id="above">above</button><queue-lab p="8" c="6"></queue-lab>');
  const { page } = await lab.open("/host.html", { before: hearKeys });
  await page.locator("#above").focus();
  for (const key of ["k", "s", "d", "?"]) await page.keyboard.press(key);
  assert.equal((await snapshot(page)).t_seconds, 0, "outside they do nothing");
  assert.deepEqual(await page.evaluate(() => window.__keys), ["k", "s", "d", "?"]);
  await page.evaluate(() => { window.__keys = []; });
  await button(page, "Start").focus();
  await page.keyboard.press("s");
  await reached(page, 1);
  for (const key of ["q", "j", "ArrowDown", "Escape", "Control+k"]) await page.keyboard.press(key);
  const heard = await page.evaluate(() => window.__keys);
  assert.deepEqual(heard.filter((key) => key !== "Control"), ["q", "j", "ArrowDown", "Escape", "k"]);
  await page.keyboard.press("k");
  await until("it plays", async () => (await snapshot(page)).is_playing);
  await page.keyboard.press("k");
  await page.keyboard.press("r");
  await until("it is reset", async () => (await snapshot(page)).t_seconds === 0);
  await page.keyboard.press("x");
  await until("poison was sent", async () => (await snapshot(page)).offered === 1);
});

test("in a field letters are letters", async () => {
  const { page } = await lab.open("/?p=8");
  const field = page.getByRole("textbox", { name: /^Producer rate/ });
  await field.focus();
  await page.keyboard.type("ksdcat?");
  assert.equal((await snapshot(page)).t_seconds, 0);
  assert.ok(await page.locator(".dials").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await field.inputValue(), "8");
});

test("a key hides and shows each part, and the focus stays inside", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=10");
  await reached(page, 10);
  await page.getByRole("slider", { name: "Producer rate" }).focus();
  for (const [key, part] of [["d", ".dials"], ["c", ".ql-body > .charts"], ["a", ".advice"], ["t", ".story"]]) {
    await page.keyboard.press(key);
    await until(`${part} is away`, async () => !(await page.locator(part).isVisible()));
    assert.notEqual(await focused(page), "outside", part);
    await page.keyboard.press(key);
    if (part !== ".advice") await until(`${part} is back`, () => page.locator(part).isVisible());
  }
});

test("Escape closes what was opened last and leaves the focus at its button", async () => {
  const { page } = await lab.open("/?p=8");
  for (const name of ["Share", /^(More dials|Dials)$/, "More ways", "All numbers", "Keys"]) {
    const opens = button(page, name);
    await opens.click();
    const inside = page.locator(`#${await opens.getAttribute("aria-controls")}`);
    await until("it is open", () => inside.isVisible());
    const first = inside.locator("button, select, input[readonly]").first();
    if (await first.count() > 0) await first.focus();
    await page.keyboard.press("Escape");
    await until(`${name} is closed`, async () => !(await inside.isVisible()));
    assert.equal(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement?.getAttribute("aria-expanded")), "false", String(name));
    assert.equal(await opens.evaluate((own) => own === own.getRootNode().activeElement), true, String(name));
  }
});

test("? opens the list of keys, and Escape gives the focus back", async () => {
  const { page } = await lab.open("/");
  await button(page, "Start").focus();
  await page.keyboard.press("?");
  await until("the list", () => page.locator(".keys-list kbd").first().isVisible());
  assert.ok(await page.locator(".keys-list kbd").count() >= 12);
  await page.keyboard.press("Escape");
  await until("it is closed", async () => !(await page.locator(".keys-help").isVisible()));
  assert.equal(await focused(page), "Start");
});

test("Escape in a text field takes back what was typed, and then closes what is open", async () => {
  const { page } = await lab.open("/?p=8");
  await button(page, "Trace a message").click();
  const message = page.getByRole("textbox", { name: "Message number" });
  await message.focus();
  await page.keyboard.press("Escape");
  await until("it is closed", async () => !(await message.isVisible()));
  await opener(page).click();
  const bound = page.getByRole("textbox", { name: /^Seed/ });
  await bound.fill("7");
  await page.keyboard.press("Escape");
  assert.ok(await bound.isVisible(), "the first press is the field's");
  await page.keyboard.press("Escape");
  await until("the dials are closed", async () => !(await bound.isVisible()));
});

test("the focus is not lost when what has it goes away", async () => {
  const { page } = await lab.open("/?p=8&c=6");
  await button(page, /^Skip to full/).focus();
  await page.keyboard.press("Enter");
  await until("it is full", async () => (await snapshot(page)).t_seconds === 30);
  await until("the offer is gone", async () => await button(page, /^Skip to full/).count() === 0);
  assert.notEqual(await focused(page), "outside", "after Skip");
  await page.getByRole("slider", { name: "Look back" }).focus();
  await page.keyboard.press("Home");
  await button(page, /^Back to/).focus();
  await page.keyboard.press("Enter");
  await until("it is back", async () => (await snapshot(page)).t_seconds === 30);
  assert.notEqual(await focused(page), "outside", "after Back");
  await page.goto(`${lab.server.origin}/?view=log&t=5`);
  await settled(page);
  await button(page, "Add a second team").focus();
  await page.keyboard.press("Enter");
  await until("it joined", async () => await button(page, "Add a second team").getAttribute("aria-disabled") === "true");
  assert.notEqual(await focused(page), "outside", "after the second team");
});

test("a locked control keeps the focus and refuses keys, typing, dragging and clicks", async () => {
  const { page } = await lab.open("/?p=8&c=6&lock=p,reset,speed&t=5");
  await reached(page, 5);
  const slider = page.getByRole("slider", { name: "Producer rate" });
  await slider.focus();
  const at = await slider.inputValue();
  await page.keyboard.press("ArrowRight");
  await until("it is said", async () => (await announced(page)).includes("locked"));
  await until("the thumb is back", async () => await slider.inputValue() === at);
  const box = await slider.boundingBox();
  await page.mouse.click(box.x + box.width - 20, box.y + box.height / 2);
  await until("the thumb is back", async () => await slider.inputValue() === at);
  const field = page.getByRole("textbox", { name: /^Producer rate/ });
  await field.focus();
  await page.keyboard.type("3");
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "8");
  // Playwright waits for what is disabled to be enabled; a person does not.
  await button(page, "Producer rate more").click({ force: true });
  await button(page, "Reset").click({ force: true });
  await page.getByRole("combobox", { name: "Speed" }).focus();
  await page.keyboard.press("ArrowDown");
  await until("the list is back", async () => await page.getByRole("combobox", { name: "Speed" }).inputValue() === "1");
  const now = await snapshot(page);
  assert.deepEqual([now.producer_rate_per_second, now.t_seconds, now.speed], [8, 5, 1]);
  assert.equal(await page.locator(".locked").innerText(), "Locked by whoever made this page: Producer rate, Reset, Speed.");
  await call(page, "set", "p=4");
  assert.equal((await snapshot(page)).producer_rate_per_second, 4, "the page itself can");
  assert.deepEqual(await faultsOf(page), []);
});

test("what is hidden cannot be reached, and a change brings it back", async () => {
  const { page } = await lab.open("/?hide=reset,c,charts");
  assert.equal(await button(page, "Reset").count(), 0);
  assert.equal(await page.getByRole("slider", { name: "Consumer rate" }).count(), 0);
  assert.equal(await page.locator(".ql-body > .charts").isVisible(), false);
  await call(page, "set", "hide=");
  await until("all is there", async () => await button(page, "Reset").count() === 1 && page.locator(".ql-body > .charts").isVisible());
});

test("full screen is one press, and where a frame forbids it, it says so", async () => {
  const { page } = await lab.open("/");
  await button(page, "Full screen").click();
  await until("it has the screen", async () => await button(page, "Full screen").getAttribute("aria-pressed") === "true");
  await button(page, "Full screen").click();
  await until("it gave it back", async () => await button(page, "Full screen").getAttribute("aria-pressed") === "false");
  lab.server.files["/framed.html"] = '<!doctype html><title>Framed</title><iframe src="/" width="900" height="900" allow="fullscreen \'none\'"></iframe>';
  await page.goto(`${lab.server.origin}/framed.html`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("button", { name: "Full screen" }).click();
  await frame.locator(".notices").getByText("does not give this page the full screen").waitFor();
});

/** Runs in the page first: the sizes of all texts of each canvas's last painting, in CSS pixels, in `__sizes`. */
function keepSizes() {
  window.__sizes = new Map();
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) { window.__sizes.set(this.canvas, []); return clearRect.apply(this, given); };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...given) {
    const size = Number(/([\d.]+)px/.exec(this.font)[1]) * this.getTransform().d / devicePixelRatio;
    window.__sizes.get(this.canvas)?.push({ text, size });
    return fillText.call(this, text, ...given);
  };
}

test("on a projector of 1920 by 1080 numbers have 32 px, the sentence 40 px, and all of it is in view", async () => {
  const { page } = await lab.open("/?theme=projector&p=8&c=6&t=20", { width: 1920, height: 1080, before: keepSizes });
  await reached(page, 20);
  const sizes = await page.evaluate(() => {
    const root = document.querySelector("queue-lab").shadowRoot;
    const size = (query) => Number.parseFloat(getComputedStyle(root.querySelector(query)).fontSize);
    const canvases = [...root.querySelectorAll("canvas")].filter((canvas) => canvas.getClientRects().length > 0);
    return {
      sentence: size(".happening"), numbers: [".number", ".clock", ".chart b", ".amount .total, .amount"].map(size),
      drawn: canvases.flatMap((canvas) => window.__sizes.get(canvas) ?? []).filter(({ text }) => /\d/.test(text)),
      dials: root.querySelector(".dials").getBoundingClientRect().bottom, across: document.documentElement.scrollWidth,
    };
  });
  assert.ok(sizes.sentence >= 40, `the sentence has ${sizes.sentence} px`);
  for (const size of sizes.numbers) assert.ok(size >= 32, `numbers of ${sizes.numbers} px`);
  assert.ok(sizes.drawn.length > 4);
  for (const { text, size } of sizes.drawn) assert.ok(size >= 31.9, `“${text}” has ${size} px`);
  assert.ok(sizes.dials <= 1080, `the dials end at ${sizes.dials} px`);
  assert.ok(sizes.across <= 1920);
});

test("the projector is one press, and axe finds nothing in it", async () => {
  for (const width of [320, 1280]) {
    const { page } = await lab.open("/?p=8&c=6&t=40", { width });
    await reached(page, 40);
    await button(page, "Projector").click();
    assert.equal(await page.locator(".ql").getAttribute("data-theme"), "projector");
    await opener(page).click();
    assert.deepEqual(await faultsOf(page), [], `${width} px`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
  }
});

/** Runs in the page first: the colours of each canvas's last painting, in `__colours`. */
function keepColours() {
  window.__colours = new Map();
  const { clearRect, fill, fillText, stroke } = CanvasRenderingContext2D.prototype;
  const note = (context, colour) => window.__colours.get(context.canvas)?.add(String(colour));
  CanvasRenderingContext2D.prototype.clearRect = function (...given) { window.__colours.set(this.canvas, new Set()); return clearRect.apply(this, given); };
  CanvasRenderingContext2D.prototype.fill = function (...given) { note(this, this.fillStyle); return fill.apply(this, given); };
  CanvasRenderingContext2D.prototype.stroke = function (...given) { note(this, this.strokeStyle); return stroke.apply(this, given); };
  CanvasRenderingContext2D.prototype.fillText = function (...given) { note(this, this.fillStyle); return fillText.apply(this, given); };
}

test("forced colours: picture and page take the system's, and every state can be told", async () => {
  for (const scheme of ["light", "dark"]) {
    const { page } = await lab.open("/?p=8&c=6&poison=5&dlq=kept&attempts=2&t=40", { scheme, before: keepColours });
    await reached(page, 40);
    await page.emulateMedia({ forcedColors: "active", colorScheme: scheme });
    await until("it follows", async () => await page.locator(".ql").getAttribute("data-theme") === "forced");
    const { used, system } = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("span"));
      const context = document.createElement("canvas").getContext("2d");
      // Dots that fade are these colours too.
      const plain = (colour) => { context.fillStyle = colour; const [red, green, blue] = /^#/.test(context.fillStyle) ? context.fillStyle.match(/[\da-f]{2}/g).map((part) => parseInt(part, 16)) : context.fillStyle.match(/\d+/g).map(Number); return [red, green, blue].join(); };
      const system = ["Canvas", "CanvasText", "Highlight", "LinkText"].map((name) => { probe.style.color = name; return plain(getComputedStyle(probe).color); });
      const root = document.querySelector("queue-lab").shadowRoot;
      return { system, used: [...window.__colours.get(root.querySelector(".scene canvas"))].map((colour) => plain(colour)) };
    });
    assert.ok(used.length >= 3, `${used}`);
    for (const colour of used) assert.ok(system.includes(colour), `${colour} is none of ${system}`);
    const sides = await page.evaluate(() => [...document.querySelector("queue-lab").shadowRoot.querySelectorAll(".side")].map((side) => {
      const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(side);
      return [borderTopWidth, borderTopColor, backgroundColor].join(" ");
    }));
    assert.notEqual(sides[0], sides[1], "the chosen side can be told");
    await opener(page).click();
    assert.deepEqual(await faultsOf(page), [], scheme);
  }
});

test("every group opens alone, axe finds nothing in any, and the picture stays where it is", async () => {
  for (const [query, width] of [["/?p=8&t=5", 1000], ["/?view=log&t=5", 1000], ["/?p=8&t=5", 320]]) {
    const { page } = await lab.open(query, { width });
    await reached(page, 5);
    const top = () => page.locator(".scene canvas").evaluate((canvas) => canvas.getBoundingClientRect().top + scrollY);
    const before = await top();
    await opener(page).click();
    const groups = await page.locator(".group").allInnerTexts();
    assert.ok(groups.length >= 8, `${groups}`);
    await each(groups, (name) => name, async (name) => {
      await page.locator(".groups").getByRole("button", { name, exact: true }).click();
      await until("it is open", async () => await page.locator('.group[aria-pressed="true"]').innerText() === name);
      assert.ok(await page.locator(".field").count() > 0);
      assert.equal(await top(), before, "the picture has moved");
      assert.deepEqual(await faultsOf(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it scrolls sideways");
    });
  }
});

test("further dials are moved, told as changed, and put back, by keyboard alone", async () => {
  const { page } = await lab.open("/?t=3");
  await reached(page, 3);
  const press = async (locator, key) => { await locator.focus(); await page.keyboard.press(key); };
  await press(opener(page), "Enter");
  await press(page.locator(".groups").getByRole("button", { name: "Database" }), "Enter");
  await press(page.getByRole("checkbox", { name: "none" }), "Space");
  const slider = page.getByRole("slider", { name: "Database speed" });
  await until("a slider", () => slider.isVisible());
  await press(slider, "ArrowRight");
  await until("it is listed", async () => (await page.locator(".changed").innerText()).includes("1 changed"));
  await press(button(page, "Put back: Database speed"), "Enter");
  await until("nothing is changed", async () => await page.locator(".changed").count() === 0);
  assert.notEqual(await focused(page), "outside");
  assert.match(await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement.id), /-input$/);
});

/** What is cut off, or lies on something else. */
function crowded() {
  const root = document.querySelector("queue-lab").shadowRoot;
  const there = (element) => element.getClientRects().length > 0 && !element.closest(".heard, .file") && getComputedStyle(element).clipPath === "none";
  const controls = [...root.querySelectorAll("button, select, input")].filter(there);
  const name = (element) => element.id || element.textContent.trim().slice(0, 30) || element.className;
  const cut = [...root.querySelectorAll("button, p, label, figcaption span, b, td, th, select")].filter(there)
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline" && element.localName !== "select")
    .map((element) => `${name(element)} is cut off`);
  const boxes = controls.map((control) => ({ name: name(control), box: control.getBoundingClientRect() }));
  const lie = boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) => {
    const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    return across > 1.5 && down > 1.5;
  }).map((other) => `${one.name} lies on ${other.name}`));
  const out = boxes.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1).map(({ name: own }) => `${own} is out of view`);
  if (document.documentElement.scrollWidth > innerWidth) out.push("it scrolls sideways");
  return [...cut, ...lie, ...out];
}

test("with text of 200 % nothing is cut off and nothing lies on anything else, 320 to 1280 px", async () => {
  lab.server.files["/large.css"] = "html { font-size: 200% }";
  lab.server.files["/large.html"] = pageWith('<queue-lab p="8" c="6" t="20"></queue-lab>').replace("<title>", '<link rel="stylesheet" href="large.css"><meta name="viewport" content="width=device-width"><title>');
  await each([320, 480, 640, 768, 1024, 1280], (width) => `${width} px`, async (width) => {
    const { page } = await lab.open("/large.html", { width });
    await reached(page, 20);
    assert.deepEqual(await page.evaluate(crowded), [], "at rest");
    await opener(page).click();
    await page.locator(".groups").getByRole("button", { name: "Failures and retries" }).click();
    assert.deepEqual(await page.evaluate(crowded), [], "with a group open");
  });
});
