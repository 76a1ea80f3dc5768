// Pictures of the page for people to look at: `node tests/browser/screenshots.mjs`
// puts them into target/screenshots.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startLab } from "./harness.mjs";
import { reached } from "./widget.mjs";

const FOLDER = fileURLToPath(new URL("../../target/screenshots", import.meta.url));

const STATES = {
  rest: { query: "" },
  growing: { query: "p=8&c=2&workers=3&t=21" },
  full: { query: "p=8&c=6&overflow=drop-new&t=60" },
  blocked: { query: "p=8&c=6&overflow=block&t=45" },
  crowd: { query: "p=300&c=4&workers=64&capacity=2000&overflow=drop-oldest&t=60" },
  flood: { query: "scenario=flood&t=30" },
  changed: { query: "scenario=six-in-six-out&t=60" },
  poison: { query: "p=5&c=2&workers=3&t=20", act: async (page) => {
    await page.getByRole("button", { name: /^Poison/ }).click();
    await stepped(page, 6);
  } },
  deadLetters: { query: "p=8&c=2&workers=3&dlq=kept&attempts=3&poison=3&t=40", act: async (page) => {
    await page.getByRole("button", { name: /dead letters? · Open/ }).click();
    await page.getByRole("button", { name: /^Trace message/ }).first().click();
    await page.getByRole("button", { name: /More ways|Break it/ }).click();
  } },
  broken: { query: "p=6&c=6&t=20", act: async (page) => {
    await page.getByRole("button", { name: /More ways|Break it/ }).click();
    await page.getByRole("button", { name: "Slow the database" }).click();
    await stepped(page, 5);
  } },
  open: { query: "p=8&c=6&workers=500&colour=red&t=20", act: async (page) => {
    await page.getByRole("button", { name: /^(More dials|Dials)$/ }).click();
    await page.getByRole("button", { name: "All numbers" }).click();
    await page.getByRole("textbox", { name: /^Producer rate/ }).fill("abc");
    await page.keyboard.press("Enter");
  } },
};

const stepped = (page, seconds) => page.evaluate((count) => {
  for (let each = 0; each < count; each += 1) document.querySelector("queue-lab").step();
}, seconds);

mkdirSync(FOLDER, { recursive: true });
const lab = await startLab();
for (const width of [320, 768, 1280]) {
  for (const scheme of ["light", "dark"]) {
    for (const [name, { query, act }] of Object.entries(STATES)) {
      const { page } = await lab.open(`/?${query}`, { width, scheme, dpr: 2, height: width === 320 ? 568 : 800 });
      const at = /\bt=(\d+)/.exec(query);
      if (at) await reached(page, Number(at[1]));
      if (act) await act(page);
      await page.screenshot({ path: `${FOLDER}/${name}-${width}-${scheme}.png`, fullPage: true });
      await lab.closePages();
    }
  }
}
await lab.close();
