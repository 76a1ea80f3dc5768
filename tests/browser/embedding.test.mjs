// The element as a guest: several on a page, in the page's colours, in frames,
// changed by attributes, taken off and put back.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { failureOf, pageWith, settled, startLab } from "./harness.mjs";
import { askedWithin, call, countClocks, quiet, shown, snapshot, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

const theme = (page, selector = "queue-lab") => page.evaluate((name) => document.querySelector(name).shadowRoot.querySelector(".ql").dataset.theme, selector);

function host(body, style = "") {
  lab.server.files["/host.css"] = style;
  lab.server.files["/host.html"] = pageWith(body).replace("<title>", '<link rel="stylesheet" href="host.css"><title>');
  return lab.open("/host.html", { before: countClocks });
}

test("two elements run apart: dials, time, sentences and ids", async () => {
  const { page, log } = await host('<queue-lab id="a" p="8"></queue-lab><queue-lab id="b" p="3" speed="10"></queue-lab>');
  await page.setViewportSize({ width: 1000, height: 1400 }); // out of view it would stand still
  await page.evaluate(() => document.querySelector("#b").play());
  await until("b runs", async () => (await snapshot(page, "#b")).t_seconds > 3);
  assert.equal((await snapshot(page, "#a")).t_seconds, 0);
  await page.locator("#a").getByRole("slider", { name: "Producer rate" }).press("End");
  await until("a has its dial", async () => (await snapshot(page, "#a")).producer_rate_per_second === 20);
  assert.equal((await snapshot(page, "#b")).producer_rate_per_second, 3);
  assert.match((await shown(page, "#a")).happening, /20 will arrive/);
  assert.doesNotMatch((await shown(page, "#b")).happening, /20/);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("auto colours follow a dark page, and a page that is switched while it stands there", async () => {
  const { page } = await host("<queue-lab></queue-lab>", "body { background: #111 } body.day { background: #fff } html.night body { background: rgb(20 20 30) }");
  assert.equal(await theme(page), "dark");
  const dark = (await shown(page)).canvases[0];
  await page.evaluate(() => { document.body.className = "day"; });
  await until("light", async () => (await theme(page)) === "light");
  assert.notEqual((await shown(page)).canvases[0], dark, "the picture follows");
  await page.evaluate(() => { document.body.className = ""; document.documentElement.className = "night"; });
  await until("dark", async () => (await theme(page)) === "dark");
});

test("auto colours follow a dark part of a light page", async () => {
  const { page } = await host('<section class="dark"><div><queue-lab id="a"></queue-lab></div></section><queue-lab id="b"></queue-lab>', "body { background: #fff } .dark { background: #0d1117 }");
  assert.deepEqual([await theme(page, "#a"), await theme(page, "#b")], ["dark", "light"]);
});

test("auto colours follow a page that fades from one to the other", async () => {
  const { page } = await host("<queue-lab></queue-lab>", "body { background: #fff; transition: background 0.3s } body.night { background: #111 }");
  assert.equal(await theme(page), "light");
  await page.evaluate(() => { document.body.className = "night"; });
  await until("dark", async () => (await theme(page)) === "dark", { within: 3_000 });
});

test("auto colours follow the system where the page has none, and its change", async () => {
  const { page } = await lab.open("/", { scheme: "dark" });
  assert.equal(await theme(page), "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await until("light", async () => (await theme(page)) === "light");
});

test("theme= wins over the page", async () => {
  const { page } = await host('<queue-lab theme="light"></queue-lab>', "body { background: #111 }");
  assert.equal(await theme(page), "light");
  await page.evaluate(() => document.querySelector("queue-lab").setAttribute("theme", "dark"));
  await until("dark", async () => (await theme(page)) === "dark");
  await page.evaluate(() => document.querySelector("queue-lab").setAttribute("theme", "light"));
  await until("light", async () => (await theme(page)) === "light");
});

test("attributes that change move the dials of the run as it stands", async () => {
  const { page } = await host('<queue-lab p="3" c="6"></queue-lab>');
  await call(page, "step");
  await page.evaluate(() => document.querySelector("queue-lab").setAttribute("p", "9"));
  await until("the dial", async () => (await snapshot(page)).producer_rate_per_second === 9);
  assert.equal((await snapshot(page)).t_seconds, 1);
  assert.equal((await page.getByRole("slider", { name: "Producer rate" }).getAttribute("aria-valuetext")), "9 messages per second");
  await page.evaluate(() => document.querySelector("queue-lab").removeAttribute("p"));
  await until("the default again", async () => (await snapshot(page)).producer_rate_per_second === 6);
  await page.evaluate(() => { const element = document.querySelector("queue-lab"); element.setAttribute("speed", "10"); element.setAttribute("play", "1"); });
  await until("it plays", async () => { const now = await snapshot(page); return now.is_playing && now.speed === 10; });
  await page.evaluate(() => document.querySelector("queue-lab").setAttribute("scenario", "burst"));
  await until("the scenario", async () => (await snapshot(page)).queue_bound_messages === 100);
});

test("a scenario attribute that changes or goes leaves the other attributes in force", async () => {
  const { page } = await host('<queue-lab p="9" t="3" scenario="burst"></queue-lab>');
  const change = (name, value) => page.evaluate(([given, to]) => {
    const element = document.querySelector("queue-lab");
    if (to === null) element.removeAttribute(given); else element.setAttribute(given, to);
  }, [name, value]);
  const at = (bound, seconds) => until(`bound ${bound} at ${seconds} s`, async () => {
    const now = await snapshot(page);
    return now.queue_bound_messages === bound && now.producer_rate_per_second === 9 && now.t_seconds === seconds;
  });
  await at(100, 3);
  await change("scenario", "bigger-queue");
  await at(120, 3);
  await change("scenario", null);
  await at(60, 3);
  await change("t", null);
  await at(60, 0);
});

test("a bad attribute is said in words, with its name", async () => {
  const { page } = await host('<queue-lab p="many"></queue-lab>');
  const { notices } = await shown(page);
  assert.equal(notices.length, 1);
  assert.match(notices[0], /^Parameter p: “many” is not a number/);
});

test("taken off and put back it starts again, works, and stops its frames in between", async () => {
  const { page, log } = await host('<queue-lab p="8" play="1"></queue-lab>');
  for (let round = 0; round < 3; round += 1) {
    await until("it runs", async () => (await snapshot(page)).t_seconds > 0.2);
    await page.evaluate(() => { window.__kept = document.querySelector("queue-lab"); window.__kept.remove(); });
    await quiet(100);
    assert.deepEqual(await askedWithin(page, 400), { requestAnimationFrame: 0, setTimeout: 0, setInterval: 0 });
    await page.evaluate(async () => { document.body.append(window.__kept); await window.__kept.ready; });
    await settled(page);
    assert.equal(await failureOf(page), null);
  }
  await page.getByRole("button", { name: "Pause" }).click();
  await until("paused", async () => !(await snapshot(page)).is_playing);
  assert.deepEqual([log.console, log.pageErrors], [[], []]);
});

test("it works in a sandboxed frame, sliders by key and mouse included", async () => {
  lab.server.headers["access-control-allow-origin"] = "*";
  lab.server.files["/frame.html"] = pageWith('<iframe sandbox="allow-scripts" title="Queues" src="/?p=8" width="700" height="760"></iframe>', { policy: null, scripts: [] });
  const { page, log } = await lab.open("/frame.html", { wait: false });
  const frame = page.frameLocator("iframe");
  const slider = frame.getByRole("slider", { name: "Producer rate" });
  await slider.press("ArrowRight");
  await until("the key", async () => (await slider.getAttribute("aria-valuetext")) === "8.5 messages per second");
  const box = await slider.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await until("the mouse", async () => (await slider.getAttribute("aria-valuetext")) === "10 messages per second");
  assert.deepEqual(log.pageErrors, []);
});

test("host styles do not reach in, and the widget's do not reach out", async () => {
  const { page } = await host('<p id="out">Text</p><queue-lab></queue-lab>', "button { display: none !important } * { letter-spacing: 0 } input { width: 10px !important }");
  assert.ok(await page.getByRole("button", { name: "Start" }).isVisible());
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#out")).fontFamily), await page.evaluate(() => getComputedStyle(document.body).fontFamily));
});

test("the element's methods before it is ready do nothing and say so", async () => {
  lab.server.files["/host.html"] = pageWith("<queue-lab></queue-lab>");
  lab.server.delays["/queue-lab_bg.wasm"] = 500;
  const { page, log } = await lab.open("/host.html", { wait: false });
  await page.evaluate(() => customElements.whenDefined("queue-lab").then(() => { document.querySelector("queue-lab").play(); }));
  await settled(page);
  assert.match(log.warnings.join(), /play did nothing/);
  assert.equal((await snapshot(page)).is_playing, false);
});
