// Writes scripts/first-part.txt: the functions that the first screen calls before anybody
// does anything, as a browser calls them. `make first-part` runs this; it takes a build and
// a minute. The build puts these functions into the first part of the wasm (split-wasm.mjs).
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { calledIn, keepInstances, skipRehearsal } from "./call-recording.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));
const folder = join(project, "target/recorded");

/** How the first screen is met: widths, colours, motion, pixel ratios. */
const SIGHTS = [
  { viewport: { width: 1280, height: 900 } },
  { viewport: { width: 768, height: 1024 }, colorScheme: "dark", deviceScaleFactor: 2 },
  { viewport: { width: 320, height: 568 }, reducedMotion: "reduce", deviceScaleFactor: 3 },
];
/** With which dials, of those that the first part alone can show (SIMPLE in static/embed.js). */
const LINKS = ["", "?p=8", "?p=8&c=6&capacity=120", "?p=4&workers=3", "?p=9&capacity=none&speed=2&seed=7", "?p=3&speed=10", "?p=0&workers=64"];
/** Long enough for every sentence's pacing. */
const WAIT_MILLIS = 6000;

function build() {
  console.log("Building a page that notes which functions are called (about 1 minute)…");
  execFileSync("trunk", ["--log", "warn", "build", "--release", "--dist", folder], {
    cwd: project, stdio: "inherit", env: { ...env, QUEUE_LAB_RECORD: "1" },
  });
}

async function look({ browser, server }, sight, link, called) {
  const context = await browser.newContext(sight);
  const page = await context.newPage();
  await page.addInitScript(keepInstances);
  await page.addInitScript(skipRehearsal);
  await page.goto(`${server.origin}/${link}`);
  await page.waitForFunction(() => document.querySelector("queue-lab").shadowRoot.querySelector("canvas"));
  await page.waitForTimeout(WAIT_MILLIS);
  await page.setViewportSize({ width: sight.viewport.width === 320 ? 1000 : 360, height: 700 });
  await page.emulateMedia({ colorScheme: sight.colorScheme === "dark" ? "light" : "dark" });
  await page.evaluate(() => { document.body.className = "of-the-host"; });
  await page.waitForTimeout(1000);
  if (!await page.evaluate(() => globalThis.skipped)) throw new Error("the page no longer puts off its rehearsal as skipRehearsal expects");
  for (const place of await page.evaluate(calledIn)) called.add(place);
  await context.close();
}

build();
env.QUEUE_LAB_DIST = folder;
const { startLab } = await import("../tests/browser/harness.mjs");
const lab = await startLab();
const called = new Set();
for (const sight of SIGHTS) for (const link of LINKS) await look(lab, sight, link, called);
await lab.close();
const names = JSON.parse(readFileSync(join(project, "target/recorded-names.json"), "utf8"));
const first = [...new Set([...called].map((place) => names[place]))].filter((name) => !/^\d+$/.test(name)).sort();
writeFileSync(join(project, "scripts/first-part.txt"), `${first.join("\n")}\n`);
console.log(`The first screen calls ${called.size} of ${names.length} functions; scripts/first-part.txt has their ${first.length} names.`);
