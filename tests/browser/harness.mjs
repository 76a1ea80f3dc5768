// What the browser tests share: a static server for dist/ whose faults can be
// switched on, Chromium, and a page that keeps account of what went wrong in it.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** Another build can be tested by naming its folder. */
const DIST = process.env.QUEUE_LAB_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
};

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const POLICY = /content="(default-src[^"]*)"/.exec(readFileSync(join(DIST, "index.html"), "utf8"))[1];

/** True in `make test-all`, for tests that take long. */
export const HEAVY = process.env.QUEUE_LAB_HEAVY === "1";

/** A page with its own markup around the element; `scripts` are paths of modules. */
export function pageWith(body, { policy = POLICY, scripts = ["embed.js"] } = {}) {
  const modules = scripts.map((path) => `<script type="module" src="${path}"></script>`).join("");
  const meta = policy ? `<meta http-equiv="Content-Security-Policy" content="${policy}">` : "";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${meta}<title>Test</title><link rel="icon" href="data:,">${modules}</head><body>${body}</body></html>`;
}

/**
 * Serves dist/ on a free loopback port. What can be changed while it runs:
 * `files` (path to text: extra pages and files), `types` (path to MIME type),
 * `missing` (a set of paths that answer 404), `delays` (path to milliseconds, or to a promise),
 * `headers` (sent with everything).
 */
async function serve() {
  const faults = { files: {}, types: {}, missing: new Set(), delays: {}, headers: {} };
  const server = createServer((request, response) => answer(request, response, faults));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  return { ...faults, origin: `http://127.0.0.1:${server.address().port}`, close, clear: () => clear(faults) };
}

function clear({ files, types, missing, delays, headers }) {
  for (const table of [files, types, delays, headers]) for (const key of Object.keys(table)) delete table[key];
  missing.clear();
}

async function answer(request, response, { files, types, missing, delays, headers }) {
  const { pathname } = new URL(request.url, "http://localhost");
  const path = pathname === "/" ? "/index.html" : normalize(pathname);
  const delay = delays[path];
  await (typeof delay === "number" ? new Promise((resolve) => setTimeout(resolve, delay)) : delay);
  const body = files[path] ?? readDist(path);
  if (body === undefined || missing.has(path)) {
    response.writeHead(404, { "content-type": "text/plain" }).end("not found");
    return;
  }
  const type = types[path] ?? TYPES[/\.\w+$/.exec(path)?.[0]] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers }).end(body);
}

function readDist(path) {
  const file = join(DIST, path);
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** The server and the browser of one test file. Call `close` in after(). */
export async function startLab() {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: FLAGS });
  const contexts = new Set();
  const closePages = async () => {
    await Promise.all([...contexts].map((context) => context.close()));
    contexts.clear();
    server.clear();
  };
  return {
    server,
    browser,
    open: (path, options) => open({ server, browser, contexts }, path, options),
    /** Closes all pages and switches all faults off. Call it in afterEach(). */
    closePages,
    async close() {
      await closePages();
      await browser.close();
      await server.close();
    },
  };
}

/**
 * Opens a path of the server and waits until every element on the page has
 * mounted or failed, unless `wait` is false.
 */
async function open({ server, browser, contexts }, path = "/", options = {}) {
  const { width = 1000, height = 800, dpr = 1, scheme = "light", reducedMotion = "no-preference", touch = false, before, wait = true } = options;
  const context = await browser.newContext({
    viewport: { width, height }, deviceScaleFactor: dpr, colorScheme: scheme, reducedMotion, hasTouch: touch, serviceWorkers: "block",
  });
  contexts.add(context);
  const page = await context.newPage();
  const log = listen(page);
  await page.addInitScript(observe);
  for (const script of [before ?? []].flat()) await page.addInitScript(script);
  await page.goto(server.origin + path, { waitUntil: "load" });
  if (wait) await settled(page);
  return { page, context, log, seen: () => page.evaluate(() => window.__seen) };
}

function listen(page) {
  const log = { console: [], warnings: [], pageErrors: [], requests: [] };
  page.on("console", (message) => {
    if (message.type() === "error") log.console.push(message.text());
    if (message.type() === "warning") log.warnings.push(message.text());
  });
  page.on("pageerror", (error) => log.pageErrors.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) log.requests.push(new URL(request.url()).pathname);
  });
  return log;
}

/** Runs in the page before anything else: policy violations, layout shift, and the element's events. */
function observe() {
  const seen = { violations: [], shift: 0, events: [] };
  window.__seen = seen;
  document.addEventListener("securitypolicyviolation", (event) => {
    seen.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  for (const type of ["ready", "error"]) {
    document.addEventListener(type, (event) => {
      if (event.target.localName === "queue-lab") seen.events.push({ type, id: event.target.id, detail: event.detail });
    }, true);
  }
}

/** Waits until every <queue-lab> has mounted or failed, and has painted. */
export async function settled(page) {
  await page.evaluate(async () => {
    await customElements.whenDefined("queue-lab");
    await Promise.allSettled([...document.querySelectorAll("queue-lab")].map((element) => element.ready));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
  });
}

/** The text that a failed element shows, or null while it runs. */
export function failureOf(page, selector = "queue-lab") {
  return page.evaluate((name) => document.querySelector(name).shadowRoot.querySelector(".failure")?.textContent ?? null, selector);
}

/** True if the element's own content, the sentence and the picture, is in view. */
export function showsFallback(page, selector = "queue-lab") {
  return page.evaluate((name) => {
    const inside = document.querySelector(name).firstElementChild;
    return inside !== null && inside.getClientRects().length > 0;
  }, selector);
}
