// SPDX-License-Identifier: Apache-2.0
// How long a reader of the page waits, how smoothly it plays, how fast a million tiles are drawn, how fast the engine is in a worker.
// Usage: PAGE=page.html UNIFORM=uniform.wasm node tests/measure.mjs

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { launch, open, titles } from "./browser.mjs";

const url = pathToFileURL(resolve(process.env.PAGE)).href;
const PLAYED_MS = 2000;

/** Frames while the page plays, and seconds. */
const frames = (page) =>
  page.evaluate(
    (played) =>
      new Promise((done) => {
        document.getElementById("play").click();
        let count = 0;
        const start = performance.now();
        const next = () => {
          count += 1;
          if (performance.now() - start < played) requestAnimationFrame(next);
          else done([count, (performance.now() - start) / 1000]);
        };
        requestAnimationFrame(next);
      }),
    PLAYED_MS,
  );

/** Milliseconds of CPU time of the page's main thread so far: a busy machine does not change them. */
async function cpuClock(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
}

async function plays(browser, name, fragment, runs) {
  const start = performance.now();
  const { page } = await open(browser, url + fragment);
  const loaded = performance.now() - start;
  await titles(page, runs);
  const first = performance.now() - start;
  const cpu = await cpuClock(page);
  const before = await cpu();
  const [count, seconds] = await frames(page);
  const perFrame = ((await cpu()) - before) / count;
  const waited = `page ${loaded.toFixed(0)} ms, result ${first.toFixed(0)} ms`;
  console.log(`${name}: ${waited}, ${(count / seconds).toFixed(0)} frames/s, ${perFrame.toFixed(1)} CPU ms per frame`);
  await page.context().close();
}

/** The page's own drawing of the mesh, on a run that is made up. */
async function drawsMillion(browser) {
  const { page } = await open(browser, "about:blank");
  const source = (name) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
  const script = `
    import { Mesh } from ${JSON.stringify(source("mesh.ts"))};
    import { Run } from ${JSON.stringify(source("run.ts"))};
    import { madeUpRun } from ${JSON.stringify(fileURLToPath(new URL("million.mjs", import.meta.url)))};
    const canvas = document.body.appendChild(document.createElement("canvas"));
    canvas.style = "width: 980px; height: 368px";
    const view = madeUpRun({ stall: null, last_event_cycle: 64, lower_bound_cycles: null });
    let mesh;
    window.prepare = () => {
      mesh = new Mesh(canvas, new Run(view));
    };
    window.draw = (cycle) => {
      mesh.draw(cycle, new Set(["wide"]), null);
      // A picture is drawn at the latest when it is read.
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
    };`;
  const built = await build({ stdin: { contents: script, loader: "ts", resolveDir: "." }, bundle: true, write: false, format: "iife" });
  await page.addScriptTag({ content: built.outputFiles[0].text });
  const cpu = await cpuClock(page);
  const times = [];
  for (const call of ["prepare()", "draw(20)", "draw(30)", "draw(40)"]) {
    const before = await cpu();
    await page.evaluate(`window.${call}`);
    times.push(((await cpu()) - before).toFixed(0));
  }
  const [prepared, ...drawn] = times;
  console.log(`1024x1024 tiles, made up: prepared in ${prepared} CPU ms, drawn in ${drawn.join(", ")} CPU ms`);
  await page.context().close();
}

/** Flit-hops per second of `uniform_16x16` in a worker: of the first call, during which the browser compiles, and of the next one. */
async function simulates(browser) {
  const { page } = await open(browser, url);
  await titles(page, 2);
  const [hops, ...seconds] = await page.evaluate(async (engine) => {
    const work = async ({ data }) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const { instance } = await WebAssembly.instantiate(bytes, { page: { progress: () => {} } });
      const times = [performance.now()];
      let hops = 0;
      for (let run = 0; run < 2; run++) {
        hops = instance.exports.noccl_uniform();
        times.push(performance.now());
      }
      postMessage([hops, (times[1] - times[0]) / 1000, (times[2] - times[1]) / 1000]);
    };
    const worker = new Worker(URL.createObjectURL(new Blob([`onmessage = ${work}`])));
    return new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage(engine);
    });
  }, readFileSync(process.env.UNIFORM).toString("base64"));
  const [first, next] = seconds.map((s) => (hops / s / 1e6).toFixed(1));
  console.log(`uniform_16x16 in a worker: ${next} M flit-hops/s, ${first} while the browser compiles (${hops} flit-hops)`);
}

const browser = await launch();
await plays(browser, "two all-reduces of 32 KiB on 4x4", "", 2);
await plays(browser, "two all-reduces of 4 KiB on 16x16", "#network=collective_noc_16x16&algorithm=in_network_once&second=ring&bytes=4KiB", 2);
await plays(browser, "all-reduce of 4 KiB on 64x64", "#network=collective_noc_64x64&algorithm=in_network_once&bytes=4KiB", 1);
await drawsMillion(browser);
if (process.env.UNIFORM !== undefined) await simulates(browser);
await browser.close();
