// What axe finds in a page, for the browser tests.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** One line for each element with a fault, and for each of which axe is not sure, but for contrasts that it cannot measure. */
export async function faultsOf(page) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations, incomplete } = await window.axe.run(document, { resultTypes: ["violations"], rules: { "page-has-heading-one": { enabled: false } } });
    const unsure = incomplete.filter(({ id }) => id !== "color-contrast");
    return [...violations, ...unsure].flatMap(({ id, help, nodes }) => nodes.map(({ target, any }) => `${id}: ${help}: ${target.flat().join(" ")} ${any.map(({ message }) => message).join("; ")}`));
  });
}
