// SPDX-License-Identifier: Apache-2.0
// How long a reader of the page waits, and how smoothly it plays. Usage: PAGE=page.html node tests/measure.mjs

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open, titles } from "./browser.mjs";

const url = pathToFileURL(resolve(process.env.PAGE)).href;
const PLAYED_MS = 2000;

/** Frames per second while the page plays. */
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
          else done((1000 * count) / (performance.now() - start));
        };
        requestAnimationFrame(next);
      }),
    PLAYED_MS,
  );

const browser = await launch();
for (const [name, fragment, runs] of [
  ["two all-reduces on 4x4", "", 2],
  ["all-reduce of 4 KiB on 64x64", "#network=collective_noc_64x64&algorithm=in_network_once&bytes=4KiB", 1],
]) {
  const start = performance.now();
  const { page } = await open(browser, url + fragment);
  const loaded = performance.now() - start;
  await titles(page, runs);
  const first = performance.now() - start;
  const rate = await frames(page);
  console.log(`${name}: page ${loaded.toFixed(0)} ms, result ${first.toFixed(0)} ms, ${rate.toFixed(0)} frames/s`);
}
await browser.close();
