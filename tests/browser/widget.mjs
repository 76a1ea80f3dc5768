// What a person sees of one widget and does to it, for the browser tests.
import { setTimeout as pause } from "node:timers/promises";

/** Asks again until the answer is truthy, and returns it. What it waited for is in the error. */
export async function until(what, ask, { within = 20_000, every = 25 } = {}) {
  const end = Date.now() + within;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (last) return last;
    await pause(every);
  }
  throw new Error(`waited ${within} ms in vain: ${what}`);
}

/**
 * Runs `check` with each case in turn, in one test and mostly in one page, and
 * fails with all that failed, by name.
 */
export async function each(cases, nameOf, check) {
  const failures = [];
  for (const one of cases) {
    try {
      await check(one);
    } catch (error) {
      failures.push(`${nameOf(one)}: ${error.message}`);
    }
  }
  if (failures.length > 0) throw new Error(`${failures.length} of ${cases.length} failed:\n${failures.join("\n")}`);
}

/** Real time in which nothing is to happen. Everything else waits for a condition. */
export const quiet = (milliseconds) => pause(milliseconds);

export function snapshot(page, selector = "queue-lab") {
  return page.evaluate((name) => document.querySelector(name).snapshot(), selector);
}

export function hash(page, selector = "queue-lab") {
  return page.evaluate((name) => document.querySelector(name).stateHash(), selector);
}

/** Calls a method of the element, and answers with the snapshot after it. */
export function call(page, method, ...values) {
  return page.evaluate(([name, given]) => {
    const element = document.querySelector("queue-lab");
    element[name](...given);
    return element.snapshot();
  }, [method, values]);
}

/** Waits until the widget is paused at that model second with nothing left to do. */
export async function reached(page, seconds, within = 20_000) {
  let now;
  try {
    return await until("", async () => {
      now = await snapshot(page);
      return now.t_seconds === seconds && !now.is_playing && now;
    }, { within });
  } catch {
    throw new Error(`not at ${seconds} s after ${within} ms, but at ${now.t_seconds} s, ${now.is_playing ? "playing" : "paused"}`);
  }
}

/** Opens the table, which is empty until then. */
export async function openTable(page) {
  const button = page.locator('button[aria-controls$="-table"]');
  if (await button.getAttribute("aria-expanded") === "false") await button.click();
  await page.locator(".numbers tbody tr").first().waitFor();
}

/** What the page shows: sentences, table if it is open, notices, and digests of the four canvases. */
export function shown(page, selector = "queue-lab") {
  return page.evaluate(async (name) => {
    const root = document.querySelector(name).shadowRoot;
    const text = (query) => root.querySelector(query)?.textContent.trim() ?? null;
    const pixels = async (canvas) => {
      const context = canvas.getContext("2d");
      if (canvas.width * canvas.height === 0) return "";
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let digest = 0;
      for (let at = 0; at < data.length; at += 4) digest = (Math.imul(digest, 31) + data[at] * 7 + data[at + 1] * 3 + data[at + 2] + data[at + 3]) | 0;
      return String(digest);
    };
    const rows = [...root.querySelectorAll(".numbers tbody tr")];
    return {
      clock: text(".clock"),
      happening: root.querySelector(".happening").lastChild.textContent,
      sentences: [".happening", ".next", ".advice"].map(text),
      table: Object.fromEntries(rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent])),
      notices: [...root.querySelectorAll(".notices li")].map((line) => line.textContent),
      status: text('[role="status"]'),
      canvases: await Promise.all([...root.querySelectorAll("canvas")].map(pixels)),
    };
  }, selector);
}

/** Runs in the page first: each widget's wasm memory is in `__memories`. */
export function keepMemories() {
  window.__memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...given) => {
    const made = await instantiate.apply(WebAssembly, given);
    window.__memories.push((made.instance ?? made).exports.memory);
    return made;
  };
}

/** Runs in the page first: counts what is asked of the browser's clocks, in `__asked`. */
export function countClocks() {
  const asked = { requestAnimationFrame: 0, setTimeout: 0, setInterval: 0 };
  window.__asked = asked;
  for (const name of Object.keys(asked)) {
    const real = window[name];
    window[name] = function (...given) {
      asked[name] += 1;
      return real.apply(window, given);
    };
  }
}

/** What was asked of the clocks while `time` passed. */
export async function askedWithin(page, milliseconds) {
  await page.evaluate(() => { for (const name of Object.keys(window.__asked)) window.__asked[name] = 0; });
  await quiet(milliseconds);
  return page.evaluate(() => ({ ...window.__asked }));
}

/** Runs in the page first: real time can be moved on by `__skew` milliseconds. */
export function skewTime() {
  window.__skew = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + window.__skew;
  const real = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => real((at) => callback(at + window.__skew));
}

/** Runs in the page first: the page can be hidden by `__hide(true)`. */
export function canHide() {
  let hidden = false;
  Object.defineProperty(document, "hidden", { get: () => hidden });
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  window.__hide = (value) => {
    hidden = value;
    document.dispatchEvent(new Event("visibilitychange"));
  };
}

/**
 * Watches inputs: each adds to `__answers` how long it took from the event to
 * after the next paint, and whether sentence, table and picture had changed by
 * that frame.
 */
export function watchAnswers(page) {
  return page.evaluate(() => {
    window.__answers = [];
    const root = document.querySelector("queue-lab").shadowRoot;
    const canvas = root.querySelector(".scene canvas");
    const look = () => ({
      sentence: root.querySelector(".say").textContent,
      table: root.querySelector(".numbers").textContent,
      picture: canvas.toDataURL(),
    });
    let before = look();
    let stamp;
    for (const type of ["keydown", "pointerdown", "pointermove"]) {
      root.addEventListener(type, (event) => { stamp = event.timeStamp; }, true);
    }
    root.addEventListener("input", (event) => {
      const began = stamp === undefined ? event.timeStamp : Math.min(stamp, event.timeStamp);
      requestAnimationFrame(() => {
        // A message posted in a frame arrives after its paint.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          const milliseconds = performance.now() - began;
          const after = look();
          const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
          before = after;
          window.__answers.push({ milliseconds, changed });
        };
        port2.postMessage(null);
      });
    }, true);
  });
}

export const answers = (page) => page.evaluate(() => window.__answers);

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const percentile = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];

/** What has the focus: its accessible name, or what is nearest to one. */
export const nameOfFocused = (page) => page.evaluate(() => {
  const one = document.querySelector("queue-lab").shadowRoot.activeElement;
  return one && (one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText ?? one.innerText).trim();
});

/** Goes with Tab to the control of that name. */
export async function tabTo(page, name) {
  for (let presses = 0; presses < 80; presses += 1) {
    const now = await nameOfFocused(page);
    if (now && name.test(now)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never came to ${name}; at last: ${await nameOfFocused(page)}`);
}

/** Goes to the button of that name from the start, by Tab, and presses it by key. */
export async function pressByKey(page, name) {
  await page.evaluate(() => document.querySelector("queue-lab").shadowRoot.activeElement?.blur());
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

/** So many steps of a second. */
export const step = (page, seconds) => page.evaluate((count) => {
  for (let each = 0; each < count; each += 1) document.querySelector("queue-lab").step();
}, seconds);

/** What is read where `query` leads first. */
export const textAt = (page, query) => page.evaluate((one) => document.querySelector("queue-lab").shadowRoot.querySelector(one)?.innerText.trim(), query);

/**
 * The file dialogue that the act opens. The answer to a question comes back before the act, so that the
 * browser has by then been told to hand its dialogues to the test: else a quick key overtakes that.
 */
export async function fileDialogueAfter(page, act) {
  const dialogue = page.waitForEvent("filechooser");
  await page.evaluate(() => {});
  const [chooser] = await Promise.all([dialogue, act()]);
  return chooser;
}
