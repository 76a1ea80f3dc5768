// Takes README's picture, doc/picture.png: the built page, 8 against 6 after
// 21 seconds, in light colours. Run it after `make build`, with the tools that
// `make test` installs:  node scripts/picture.mjs [FILE.png]
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { argv, env, exit } from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { smallPng } from "./small-png.mjs";

const DIST = new URL("../dist/", import.meta.url);
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", wasm: "application/wasm" };
const SECONDS = 21;
const LINK = `?scenario=eight-against-six&t=${SECONDS}&theme=light`;
const WIDTH = 1000; // 960 for the element, and the page's margins
const BYTES_MAX = 150_000;

function answer(request, response) {
  const name = new URL(request.url, "http://localhost").pathname.slice(1) || "index.html";
  try {
    const body = readFileSync(new URL(name, DIST));
    response.writeHead(200, { "content-type": TYPES[name.split(".").pop()] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}

async function shot(origin) {
  const browser = await chromium.launch({ executablePath: env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const context = await browser.newContext({ viewport: { width: WIDTH, height: 900 }, deviceScaleFactor: 2, colorScheme: "light", reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${origin}/${LINK}`);
    await page.waitForFunction((seconds) => document.querySelector("queue-lab")?.snapshot()?.t_seconds === seconds, SECONDS);
    await page.waitForTimeout(300); // texts and charts are painted a little later than the picture
    return await page.locator("queue-lab").screenshot({ animations: "disabled" });
  } finally {
    await browser.close();
  }
}

async function main(file) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { png, difference } = smallPng(await shot(`http://127.0.0.1:${server.address().port}`));
    if (png.length > BYTES_MAX) throw new Error(`the picture has ${png.length} bytes; at most ${BYTES_MAX} are wanted`);
    writeFileSync(file, png);
    console.log(`${file}: ${png.length} bytes; no channel of any pixel is off by more than ${difference} of 255`);
  } finally {
    server.close();
  }
}

main(argv[2] ?? fileURLToPath(new URL("../doc/picture.png", import.meta.url))).catch((error) => {
  console.error(error.message);
  exit(1);
});
