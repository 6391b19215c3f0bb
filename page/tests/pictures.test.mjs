// SPDX-License-Identifier: Apache-2.0
// What the page looks like, in windows of phones, tablets and screens, in light and dark. PICTURES=folder keeps the screenshots.
// Usage: NOCCL=program PAGE=page.html node --test tests/pictures.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, titles } from "./browser.mjs";
import { madeUpRun } from "./million.mjs";
import { difference } from "./pictures.mjs";

const url = pathToFileURL(resolve(process.env.PAGE)).href;
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "noccl-pictures-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const PHONE = { width: 400, height: 800 };
const TABLET = { width: 820, height: 1180 };
const LAPTOP = { width: 1280, height: 800 };
const SCREEN = { width: 1920, height: 1080 };

const MULTICAST = "#collective=multicast&bytes=4KiB&algorithm=in_network";
const REDUCE = "#collective=reduce&bytes=4KiB&algorithm=in_network";
const DEADLOCK = "#network=collective_noc_4x4_published&collective=all_gather&bytes=4KiB&algorithm=in_network";

const goTo = (page, cycle) =>
  page.$eval(
    "#cycle",
    (slider, at) => {
      slider.value = String(at);
      slider.dispatchEvent(new Event("input"));
    },
    cycle,
  );

/** The south-west corner of the mesh, where a multicast forks and a reduction ends. */
const closeUp = async (page) => {
  await page.focus(".mesh");
  for (let n = 0; n < 2; n++) await page.keyboard.press("+");
  const box = await page.locator(".mesh").boundingBox();
  await page.mouse.move(box.x + 500, box.y + 250);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 90);
  await page.mouse.up();
};

const click = (selector, x, y) => async (page) => {
  const box = await page.locator(selector).first().boundingBox();
  await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
};

const refuse = async (page) => {
  await page.$eval("#choice", (choice) => (choice.open = true));
  await page.fill('[name="bytes"]', "many");
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("error").textContent !== "");
};

/** Name, window, colours, what runs, runs, cycle, what else is done. */
const PICTURES = [
  ["two_runs_phone_light", PHONE, "light", "", 2, 300],
  ["two_runs_phone_dark", PHONE, "dark", "", 2, 300],
  ["two_runs_tablet_light", TABLET, "light", "", 2, 300],
  ["two_runs_tablet_dark", TABLET, "dark", "", 2, 300],
  ["two_runs_laptop_light", LAPTOP, "light", "", 2, 300],
  ["two_runs_laptop_dark", LAPTOP, "dark", "", 2, 300],
  ["two_runs_screen_light", SCREEN, "light", "", 2, 300],
  ["two_runs_screen_dark", SCREEN, "dark", "", 2, 300],
  ["choice_phone", PHONE, "light", MULTICAST, 1, 40, (page) => page.click("#choice > summary")],
  ["choice_more", LAPTOP, "dark", MULTICAST, 1, 40, (page) => page.click("#more > summary")],
  ["forks_close_light", LAPTOP, "light", MULTICAST, 1, 40.5, closeUp],
  ["merges_close_dark", LAPTOP, "dark", REDUCE, 1, 60.5, closeUp],
  ["gantt_action", SCREEN, "light", "#bytes=4KiB&algorithm=ring", 1, 200, click(".timeline", 0.3, 0.6)],
  ["gantt_tile_phone", PHONE, "dark", "#bytes=4KiB&algorithm=ring", 1, 200, click(".mesh", 0.5, 0.625)],
  ["deadlock_laptop", LAPTOP, "light", DEADLOCK, 1, 25],
  ["deadlock_tablet", TABLET, "dark", DEADLOCK, 1, 25],
  ["error_laptop", LAPTOP, "light", MULTICAST, 1, 40, refuse],
  ["error_phone", PHONE, "dark", MULTICAST, 1, 40, refuse],
  ["long_links", LAPTOP, "light", "#network=smart_8x8&collective=multicast&bytes=1KiB&algorithm=in_network", 1, 20],
  ["core_tiles", LAPTOP, "dark", "#network=tilepro64_8x8&collective=all_to_all&bytes=128&algorithm=rounds", 1, 300],
  ["four_thousand_tiles", TABLET, "light", "#network=collective_noc_64x64&bytes=1KiB&algorithm=in_network_once", 1, 100],
];

for (const [name, viewport, colorScheme, fragment, runs, cycle, act] of PICTURES) {
  test(`the picture ${name} is as stored`, async () => {
    const { page, problems } = await open(browser, url + fragment, { viewport, colorScheme });
    await titles(page, runs);
    await goTo(page, cycle);
    await act?.(page);
    await settled(page, name, problems);
  });
}

test("the picture of a million tiles is as stored", async () => {
  const words = ["view", "multicast", "--bytes", "1KiB", "--algorithms", "in_network", "--json"];
  const [base] = JSON.parse(execFileSync(process.env.NOCCL, words));
  writeFileSync(join(folder, "million.json"), JSON.stringify([madeUpRun(base)]));
  const { page, problems } = await open(browser, url + MULTICAST);
  await titles(page);
  await page.setInputFiles('[name="file"]', join(folder, "million.json"));
  await page.waitForFunction(() => document.getElementById("progress").textContent.includes("recorded"));
  await goTo(page, 32);
  await settled(page, "million_tiles", problems);
});

/** Four ranks, of which the last one computes longest, as recorded calls. */
const MESSAGES = `noccl-messages 1
ranks 4
unit cycles
source four ranks
${[0, 1, 2, 3].map((rank) => `rank ${rank}\ncompute ${100 * (rank + 1)}\nallreduce 0 sum fp64 4096\ncompute 200\nbarrier 0\nend 4\n`).join("")}`;

const RECORDINGS = [
  ["recording_laptop", LAPTOP, "light", "run.json", 150, click(".timeline", 0.5, 0.75)],
  ["recording_phone", PHONE, "dark", "run.json", 150, click(".mesh", 0.5, 0.625)],
  ["recording_of_ranks", LAPTOP, "dark", "ranks.json", 300, click(".timeline", 0.3, 0.62)],
];

for (const [name, viewport, colorScheme, file, cycle, act] of RECORDINGS) {
  test(`the picture ${name} is as stored`, async () => {
    const noccl = (...words) => execFileSync(process.env.NOCCL, words, { cwd: folder, stdio: "ignore" });
    writeFileSync(join(folder, "ranks.messages"), MESSAGES);
    noccl("schedule", "all_reduce", "--bytes", "8KiB", "--algorithm", "in_network", "-o", "sum.json");
    noccl("run", "schedule", "sum.json", "--record", "run.json");
    noccl("run", "messages", "ranks.messages", "--record-run", "ranks.json");
    noccl("view", file, "-o", `${name}.html`);
    const { page, problems } = await open(browser, pathToFileURL(join(folder, `${name}.html`)).href, { viewport, colorScheme });
    await titles(page);
    await goTo(page, cycle);
    await act(page);
    await settled(page, name, problems);
  });
}

async function settled(page, name, problems) {
  // The only text that differs from run to run.
  await page.$eval("#progress", (line) => (line.textContent &&= "Simulated in 0.50 s."));
  assert.equal(await difference(page, name, process.env.PICTURES), "");
  assert.deepEqual(problems, []);
  await page.context().close();
}
