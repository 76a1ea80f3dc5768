// The canvas shows what the picture's file shows: the file that the page saves is the one that is
// drawn natively and kept on file, and its pixels, painted by the same browser, are the canvas's.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { HEAVY, pageWith, startLab } from "./harness.mjs";
import { each, reached, until } from "./widget.mjs";

/** How wide a saved picture is laid out: the canvas is made as wide. */
const WIDTH = 924;

/**
 * A channel that differs by less, of 255, is the edge of a shape: a canvas paints on whole pixels of
 * the screen, an SVG file on tenths of them.
 */
const NOTICEABLE = 96;

/**
 * How many pixels may differ from all pixels around their place. On a screen with one pixel for each of
 * CSS none does; on a finer one letters are hinted otherwise in a file, in up to 72 of them. A test
 * takes one dot away, and changes one digit.
 */
const DIFFERENT_MAX = { 1: 0, 2: 100 };

const here = new URL(".", import.meta.url);
const states = readFileSync(new URL("../page-pictures.txt", here), "utf8").trim().split("\n").map((line) => {
  const [name, query] = line.split(" ");
  return { name, query };
});

let lab;
before(async () => { lab = await startLab(); });
afterEach(() => lab.closePages());
after(() => lab?.close());

/** What is on file of that state, without the head that the snapshot has. */
function onFile(name) {
  const text = readFileSync(new URL(`../it/snapshots/pages/${name}.snap`, here), "utf8");
  return text.slice(text.indexOf("<svg")).trimEnd();
}

/** Runs in the page first: files that are offered to save are kept in `__saved`. */
function keepSaved() {
  window.__saved = [];
  const real = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    window.__saved.push(blob);
    return real(blob);
  };
}

/** A page in that state, whose canvas is as wide as a saved picture. */
async function opened({ query }, dpr) {
  const attributes = query.split("&").map((pair) => pair.replace("=", '="') + '"').join(" ");
  lab.server.files["/wide.html"] = pageWith(`<queue-lab ${attributes}></queue-lab>`);
  const { page } = await lab.open("/wide.html", { dpr, before: keepSaved });
  const seconds = /\bt=(\d+)/.exec(query);
  if (seconds) await reached(page, Number(seconds[1]));
  await until("the canvas is as wide as a saved picture, and painted anew", () => page.evaluate(([wanted, ratio]) => {
    const element = document.querySelector("queue-lab");
    const canvas = element.shadowRoot.querySelector(".scene canvas");
    if (canvas.clientWidth !== wanted) element.style.width = `${element.clientWidth + wanted - canvas.clientWidth}px`;
    return canvas.width === wanted * ratio && canvas.clientWidth === wanted;
  }, [WIDTH, dpr]), { every: 100 });
  return page;
}

/** The SVG file that the page offers. */
async function saved(page) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("button", { name: "Save the picture (SVG)" }).click();
  await until("the file is offered", () => page.evaluate(() => window.__saved.length > 0));
  return page.evaluate(() => window.__saved[0].text());
}

/** The canvas of the picture, as a PNG in an address. */
function canvasOf(page) {
  return page.evaluate(() => document.querySelector("queue-lab").shadowRoot.querySelector(".scene canvas").toDataURL());
}

/**
 * The number of pixels in which a canvas and a picture's file differ by more than `NOTICEABLE` from
 * all pixels around: painted on a page without a policy, on the picture's own paper.
 */
async function difference(canvas, svg) {
  const context = await lab.browser.newContext();
  const blank = await context.newPage();
  const count = await blank.evaluate(compare, { canvas, svg, noticeable: NOTICEABLE });
  await context.close();
  return count;
}

async function compare({ canvas, svg, noticeable }) {
  const image = async (source) => {
    const made = new Image();
    made.src = source;
    await made.decode();
    return made;
  };
  const shown = await image(canvas);
  const { width, height } = shown;
  const sized = svg.replace('width="100%"', `width="${width}" height="${height}"`);
  const file = await image(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`);
  const paper = /fill="(#[0-9A-F]{6})"/.exec(svg)[1];
  const pixels = (source) => {
    const surface = Object.assign(document.createElement("canvas"), { width, height });
    const context = surface.getContext("2d", { willReadFrequently: true });
    context.fillStyle = paper;
    context.fillRect(0, 0, width, height);
    context.drawImage(source, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  };
  const [one, other] = [pixels(shown), pixels(file)];
  const differs = (at, to) => [0, 1, 2].some((channel) => Math.abs(one[at + channel] - other[to + channel]) > noticeable);
  let different = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = 4 * (y * width + x);
      const around = [-width - 1, -width, -width + 1, -1, 0, 1, width - 1, width, width + 1];
      if (around.every((step) => differs(at, at + 4 * step))) different += 1;
    }
  }
  return different;
}

/** All states at one pixel for each of CSS; at two a third of them, where there is no time for all. */
const statesAt = (dpr) => states.filter((_, place) => HEAVY || dpr === 1 || place % 3 === 0);

for (const dpr of [1, 2]) {
  test(`the canvas shows what the picture's file shows, at ratio ${dpr}`, async () => {
    await each(statesAt(dpr), ({ name }) => name, async (state) => {
      const page = await opened(state, dpr);
      const [canvas, svg] = [await canvasOf(page), await saved(page)];
      await page.context().close();
      const different = await difference(canvas, svg);
      assert.ok(different <= DIFFERENT_MAX[dpr], `${different} pixels differ from all around their place`);
      assert.equal(svg.trimEnd(), onFile(state.name), "the file is the one drawn natively");
    });
  });

  test(`one shape that is missing is seen, at ratio ${dpr}`, async () => {
    const growing = states.find(({ name }) => name === "growing");
    const page = await opened(growing, dpr);
    const [canvas, svg] = [await canvasOf(page), await saved(page)];
    const [dot] = /<circle [^>]* r="75" [^>]*>/.exec(svg);
    const seen = async (file, what) => {
      const different = await difference(canvas, file);
      assert.ok(different > DIFFERENT_MAX[dpr], `${what}: ${different}`);
    };
    await seen(svg.replace(dot, ""), `without ${dot}`);
    assert.match(svg, />\s*42 waiting/);
    if (dpr === 1) await seen(svg.replace(/(>\s*)42 waiting/, (_, before) => `${before}47 waiting`), "47 for 42");
    for (const { name } of states.filter((state) => state !== growing)) {
      const other = onFile(name);
      // Pictures of the same size alone can be laid upon one another.
      if (/viewBox="[^"]*"/.exec(other)[0] !== /viewBox="[^"]*"/.exec(svg)[0]) continue;
      await seen(other, name);
    }
  });
}
