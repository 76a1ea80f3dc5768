// The page as it is shipped, in two parts and optimised, does what the native build
// does: each scenario file ends in the state hash that the native tests hold.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { settled, startLab } from "./harness.mjs";
import { each, hash, reached } from "./widget.mjs";

const UNTIL_SECONDS = 120;

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const expected = read("../equality/scenarios.txt").trim().split("\n").map((line) => line.split(" "));

let lab;
before(async () => { lab = await startLab(); });
after(() => lab?.close());

test("every scenario file has the state hash in the page that it has natively", async () => {
  assert.ok(expected.length > 20);
  const { page } = await lab.open("/");
  await each(expected, ([name]) => name, async ([name, stateHash]) => {
    lab.server.files[`/files/${name}`] = read(`../../static/scenarios/${name}`);
    await page.goto(`${lab.server.origin}/?scenario=files/${name}&t=${UNTIL_SECONDS}`);
    await settled(page);
    await reached(page, UNTIL_SECONDS, 60_000);
    assert.equal(await hash(page), stateHash);
  });
});
