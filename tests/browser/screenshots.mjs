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
  open: { query: "p=8&c=6&workers=500&colour=red&t=20", act: async (page) => {
    await page.getByRole("button", { name: "More dials" }).click();
    await page.getByRole("button", { name: "All numbers" }).click();
    await page.getByRole("textbox", { name: /^Producer rate/ }).fill("abc");
    await page.keyboard.press("Enter");
  } },
};

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
