// The canvases: as sharp as the screen, drawn anew when anything about it
// changes, and at ease in places without room.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { failureOf, pageWith, startLab } from "./harness.mjs";
import { call, reached, shown, until } from "./widget.mjs";

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

/** Each canvas's bitmap beside its box in the page. */
function sizes(page, selector = "queue-lab") {
  return page.evaluate((name) => [...document.querySelector(name).shadowRoot.querySelectorAll("canvas")].map((canvas) => {
    const box = canvas.getBoundingClientRect();
    const { data } = canvas.width * canvas.height ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height) : { data: [] };
    return { width: canvas.width, height: canvas.height, client: [canvas.clientWidth, canvas.clientHeight], box: [box.width, box.height], dpr: devicePixelRatio, painted: data.some((value) => value !== 0) };
  }), selector);
}

function assertSharp(all) {
  assert.equal(all.length, 4);
  for (const { width, height, client, dpr, painted } of all) {
    assert.deepEqual([width, height], client.map((side) => Math.round(side * dpr)));
    assert.ok(painted);
  }
}

const ownWarnings = ({ warnings }) => warnings.filter((text) => text.startsWith("queue-lab"));

const isSharp = (all) => all.every(({ width, height, client, dpr }) => width === Math.round(client[0] * dpr) && height === Math.round(client[1] * dpr));

for (const dpr of [1, 1.25, 2, 3]) {
  for (const width of [320, 1000]) {
    test(`bitmaps have the screen's pixels at ratio ${dpr}, ${width} px`, async () => {
      const { page } = await lab.open("/?p=8&c=6&t=20", { dpr, width });
      await reached(page, 20);
      const all = await sizes(page);
      assertSharp(all);
      // Where a box has a fraction of a pixel, the bitmap is not stretched by more than one.
      for (const { width: bitmap, box } of all) assert.ok(Math.abs(bitmap - box[0] * dpr) <= dpr, `${bitmap} for ${box[0]} px`);
    });
  }
}

test("zooming in while paused draws anew, in the new size", async () => {
  const { page, context } = await lab.open("/?p=8&c=6&t=20", { width: 1200 });
  await reached(page, 20);
  const client = await context.newCDPSession(page);
  const before = await sizes(page);
  await client.send("Emulation.setDeviceMetricsOverride", { width: 800, height: 600, deviceScaleFactor: 1.5, mobile: false });
  await until("the bitmaps follow", async () => { const all = await sizes(page); return all[0].dpr === 1.5 && isSharp(all); });
  assertSharp(await sizes(page));
  assert.notDeepEqual(await sizes(page), before);
});

test("resizing while paused draws anew", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=20");
  await reached(page, 20);
  for (const width of [700, 480, 320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await until(`sharp at ${width} px`, async () => isSharp(await sizes(page)));
    assertSharp(await sizes(page));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `no sideways scroll at ${width} px`);
  }
});

for (const query of ["p=8&c=6", "p=8&c=6&overflow=block&t=45", "p=8&c=6&arrivals=poisson&work=exponential&capacity=10&t=60", "p=12.345&c=6.789&workers=64&t=3", "scenario=flood&t=2"]) {
  test(`at 320 px picture, sentence and first dial share a screen of 568 px, without sideways scroll: ${query}`, async () => {
    const { page } = await lab.open(`/?${query}`, { width: 320, height: 568 });
    const wanted = /\bt=(\d+)/.exec(query);
    if (wanted) await reached(page, Number(wanted[1]));
    const places = await page.evaluate(() => {
      const root = document.querySelector("queue-lab").shadowRoot;
      const bottom = (query) => root.querySelector(query).getBoundingClientRect().bottom;
      return { picture: bottom(".scene canvas"), story: bottom(".story"), dial: bottom(".dial .dial-row"), scroll: document.documentElement.scrollWidth };
    });
    assert.ok(places.picture < places.story && places.story < places.dial, JSON.stringify(places));
    assert.ok(places.dial <= 568, `the first dial ends at ${places.dial} px`);
    assert.ok(places.scroll <= 320, `${places.scroll} px wide`);
  });
}

const longest = "p=8&c=6&arrivals=poisson&work=exponential&capacity=10";
for (const [width, query] of [[320, "p=8&c=6"], [700, "p=8&c=6"], [1000, "p=8&c=6"], [320, longest], [360, longest], [390, longest], [480, longest]]) {
  test(`the dials keep their place while sentences change, ${width} px: ${query}`, async () => {
    const { page } = await lab.open(`/?${query}`, { width });
    const top = () => page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".dials").getBoundingClientRect().top);
    const tops = { 0: await top() };
    for (const at of [1, 10, 29, 31, 60]) {
      await call(page, "set", `t=${at}`);
      await reached(page, at);
      tops[at] = await top();
    }
    assert.equal(new Set(Object.values(tops)).size, 1, `top by second: ${JSON.stringify(tops)}`);
  });
}

const rooms = {
  "a closed details": { body: '<details><summary>Open</summary><queue-lab p="8"></queue-lab></details>', open: () => { document.querySelector("details").open = true; } },
  "display: none": { body: '<div hidden><queue-lab p="8"></queue-lab></div>', open: () => { document.querySelector("div").hidden = false; } },
  "a box of 320 by 60 px": { body: '<div class="small"><queue-lab p="8"></queue-lab></div>', open: () => { document.querySelector("div").className = ""; }, style: ".small { width: 320px; height: 60px; overflow: hidden }" },
  "a box of no width": { body: '<div class="none"><queue-lab p="8"></queue-lab></div>', open: () => { document.querySelector("div").className = ""; }, style: ".none { width: 0; overflow: hidden }" },
  "a box of 60 px": { body: '<div class="sixty"><queue-lab p="8"></queue-lab></div>', open: () => { document.querySelector("div").className = ""; }, style: ".sixty { width: 60px; height: 60px; overflow: hidden }" },
};

for (const [name, { body, open, style = "" }] of Object.entries(rooms)) {
  test(`mounted in ${name} it does not fail, steps and plays, and is drawn when there is room`, async () => {
    lab.server.files["/room.css"] = style;
    lab.server.files["/room.html"] = pageWith(body).replace("<title>", '<link rel="stylesheet" href="room.css"><title>');
    const { page, log } = await lab.open("/room.html");
    assert.equal(await failureOf(page), null);
    await call(page, "step");
    await reached(page, 1);
    await call(page, "play");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    await call(page, "pause");
    await page.evaluate(open);
    await until("it is drawn", async () => { const all = await sizes(page); return all.every(({ painted, width }) => painted && width > 100) && isSharp(all); });
    assert.deepEqual([log.console, log.pageErrors, ownWarnings(log)], [[], [], []]);
  });
}

test("empty, flat and huge series are drawn without a fault", async () => {
  for (const query of ["p=0&c=0&t=100", "p=0&c=6", "p=6&c=6&t=3600", "p=100000&c=0&capacity=none&t=5", "p=8&c=6&t=0.000001", "p=0.001&c=0.001&t=100000"]) {
    const { page, log } = await lab.open(`/?${query}`);
    const wanted = /\bt=([\d.]+)/.exec(query);
    if (wanted) await reached(page, Number(wanted[1]), 30_000);
    assert.ok((await sizes(page)).every(({ painted }) => painted), query);
    assert.deepEqual([log.console, log.pageErrors, ownWarnings(log)], [[], [], []], query);
    assert.match((await shown(page)).sentences[0], /\S/);
  }
});

test("forced colours do not hide the picture", async () => {
  const { page } = await lab.open("/?p=8&c=6&t=20");
  await reached(page, 20);
  await page.emulateMedia({ forcedColors: "active" });
  assert.ok((await sizes(page)).every(({ painted }) => painted));
});
