// Measures in a browser: our charts beside uPlot's, on the same numbers in the
// same run, and what the frames of the built page take. Prints medians, 95th
// percentiles and ratios.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pageWith, startLab } from "../tests/browser/harness.mjs";
import { buildExample } from "./wasm-example.mjs";

const ROUNDS = 25;
const POINTS = [600, 10_000, 100_000];
const FRAMES = 300;

const project = fileURLToPath(new URL("..", import.meta.url));
const row = (name, ...cells) => console.log(name.padEnd(58) + cells.map((cell) => String(cell).padStart(10)).join(""));
const quantile = (samples, share) => samples.toSorted((left, right) => left - right)[Math.min(samples.length - 1, Math.floor(samples.length * share))];

/** Runs in the page: draws by turn with both, and reads a pixel back so that all is drawn when the clock stops. */
async function drawByTurn({ points, rounds }) {
  const [width, height, pixels] = [640, 200, 2];
  const { Charts, uPlot } = window.__drawn;
  const charts = new Charts(points);
  const lines = [0, 1, 2].map((line) => charts.values(line));
  const data = [Float64Array.from({ length: points }, (_, at) => at + 1), ...lines];
  const box = document.querySelector("#uplot");
  box.replaceChildren();
  const series = [{}, { stroke: "#a35f00", fill: "#a35f002e", width: 2 }, { stroke: "#5b6475", width: 1 }, { stroke: "#5b6475", width: 1 }];
  const plot = new uPlot({ width, height, series: series.map((one) => ({ points: { show: false }, ...one })), legend: { show: false }, cursor: { show: false }, scales: { x: { time: false } } }, data, box);
  const canvas = document.querySelector("#ours");
  [canvas.width, canvas.height] = [width * pixels, height * pixels];
  const finish = (context) => context.getImageData(0, 0, 1, 1);
  const took = { ours: [], theirs: [] };
  for (let round = 0; round < rounds + 3; round += 1) {
    let began = performance.now();
    charts.draw(canvas, width, height, pixels);
    finish(canvas.getContext("2d"));
    const ours = performance.now() - began;
    began = performance.now();
    plot.setData(data);
    await Promise.resolve();
    finish(plot.ctx);
    const theirs = performance.now() - began;
    // The first ones warm up.
    if (round >= 3) { took.ours.push(ours); took.theirs.push(theirs); }
    await new Promise(requestAnimationFrame);
  }
  plot.destroy();
  charts.free();
  return took;
}

async function compareCharts(lab) {
  const built = buildExample("charts", "web");
  const { files } = lab.server;
  files["/charts.js"] = readFileSync(join(built, "charts.js"), "utf8");
  files["/charts_bg.wasm"] = readFileSync(join(built, "charts_bg.wasm"));
  files["/uplot.js"] = readFileSync(join(project, "node_modules/uplot/dist/uPlot.esm.js"), "utf8");
  files["/start.js"] = 'import start, { Charts } from "./charts.js"; import uPlot from "./uplot.js"; await start(); window.__drawn = { Charts, uPlot };';
  files["/charts.html"] = pageWith('<canvas id="ours"></canvas><div id="uplot"></div>', { policy: null, scripts: ["start.js"] });
  const { page } = await lab.open("/charts.html", { dpr: 2, wait: false });
  await page.waitForFunction(() => window.__drawn);
  row("ms a chart of three lines, median", "ours", "uPlot", "ratio");
  for (const points of POINTS) {
    const { ours, theirs } = await page.evaluate(drawByTurn, { points, rounds: ROUNDS });
    const [mine, other] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
    row(`3 × ${points}`, mine.toFixed(2), other.toFixed(2), (mine / other).toFixed(2));
  }
  await lab.closePages();
}

/** Runs in the page first: how long each frame's script took, and tasks above 50 ms. */
function keepFrames() {
  window.__frames = [];
  window.__long = [];
  new PerformanceObserver((list) => window.__long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  const real = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => real((at) => {
    const began = performance.now();
    callback(at);
    window.__frames.push(performance.now() - began);
  });
}

async function measureFrames(lab, query) {
  const { page } = await lab.open(`/?${query}`, { dpr: 2, width: 1280, before: keepFrames });
  await page.evaluate(() => document.querySelector("queue-lab").play());
  // The rest of the page arrives within the first ones.
  await page.waitForFunction(() => window.__frames.length >= 60, null, { timeout: 60_000 });
  await page.evaluate(() => { window.__frames.length = 0; window.__long.length = 0; });
  await page.waitForFunction((count) => window.__frames.length >= count, FRAMES, { timeout: 120_000 });
  const { frames, long } = await page.evaluate(() => ({ frames: window.__frames, long: window.__long }));
  row(query, quantile(frames, 0.5).toFixed(1), quantile(frames, 0.95).toFixed(1), Math.max(...frames).toFixed(1), long.length);
  await lab.closePages();
}

const USUAL = ["p=6", "view=log", "scenario=digests&speed=10", "p=64&c=1&workers=64", "view=log&p=100&partitions=8"];
const EXTREME = ["p=100000&c=100000&workers=64&capacity=none&speed=1000", "p=100000&c=1&capacity=4000000&speed=1000", "p=100000&c=100000&arrivals=poisson&work=exponential&workers=64&speed=1000", "view=log&p=100000&c=100000&speed=1000"];

const lab = await startLab();
try {
  await compareCharts(lab);
  row(`ms of script in each of ${FRAMES} frames`, "median", "p95", "most", "> 50 ms");
  for (const query of [...USUAL, ...EXTREME]) await measureFrames(lab, query);
} finally {
  await lab.close();
}
