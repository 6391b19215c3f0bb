// SPDX-License-Identifier: Apache-2.0
// The page in a browser: every control, by pointer and by keyboard, bad input, hostile names, no request to anywhere.
// Usage: NOCCL=program NATIVE=extension PYTHON=python PAGE=page.html node --test tests/page.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { launch, open, titles } from "./browser.mjs";

const { NATIVE, NOCCL, PAGE, PYTHON } = process.env;
const url = pathToFileURL(resolve(PAGE)).href;
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "noccl-page-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const noccl = (...words) => execFileSync(NOCCL, words, { cwd: folder, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

/** Share of pixels of a canvas that differ from its corner. */
const drawn = (page, selector) =>
  page.$eval(selector, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let painted = 0;
    for (let i = 3; i < data.length; i += 4) painted += data[i] > 0 ? 1 : 0;
    return (4 * painted) / data.length;
  });

test("a new visitor sees two runs, right and without a request to anywhere", async () => {
  const { page, problems } = await open(browser, url);
  const [first, second] = await titles(page, 2);
  assert.match(first, /^in_network_once: 586 cycles .* 1\.12 times the lower bound of 525; outputs compared: right$/);
  assert.match(second, /^ring: 3,467 cycles/);
  assert.ok((await drawn(page, ".mesh")) > 0.02);
  assert.ok((await drawn(page, ".timeline")) > 0.05);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("the page has at most two megabytes, packed", () => {
  assert.ok(gzipSync(readFileSync(PAGE)).length <= 2_000_000, `${statSync(PAGE).size} bytes`);
});

test("play, pause, scrub, speed, planes", async () => {
  const { page, problems } = await open(browser, `${url}#algorithm=in_network&bytes=4KiB`);
  await titles(page);
  const cycle = () => page.$eval("#cycle", (slider) => Number(slider.value));
  await page.selectOption("#speed", "16");
  await page.click("#play");
  assert.equal(await page.textContent("#play"), "Pause");
  await page.waitForFunction(() => Number(document.getElementById("cycle").value) > 2);
  await page.click("#play");
  const stopped = await cycle();
  await page.waitForTimeout(150);
  assert.equal(await cycle(), stopped);
  await page.$eval("#cycle", (slider) => {
    slider.value = "40";
    slider.dispatchEvent(new Event("input"));
  });
  assert.match(await page.textContent("#cycle-text"), /^40 of /);
  const before = await drawn(page, ".mesh");
  await page.uncheck("#planes input >> nth=0");
  assert.notEqual(await drawn(page, ".mesh"), before);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("the keyboard alone suffices", async () => {
  const { page, problems } = await open(browser, `${url}#bytes=1KiB&algorithm=in_network`);
  await titles(page);
  const cycle = () => page.$eval("#cycle", (slider) => Number(slider.value));
  await page.focus(".mesh");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await cycle(), 2);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await cycle(), 1);
  await page.keyboard.press("End");
  assert.equal(await cycle(), await page.$eval("#cycle", (slider) => Number(slider.max)));
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => Number(document.getElementById("cycle").value) > 0);
  await page.keyboard.press("+");
  const detail = () => page.locator("#details th").first().textContent();
  await page.keyboard.press("n");
  assert.equal(await detail(), "Tile");
  await page.keyboard.press("N");
  assert.equal(await detail(), "Link");
  await page.focus(".timeline");
  await page.keyboard.press("p");
  assert.equal(await detail(), "Action");
  await page.keyboard.press("Escape");
  assert.equal(await detail(), "Network");
  await page.focus('[name="bytes"]');
  await page.keyboard.press("Control+A");
  await page.keyboard.type("2KiB");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("bytes=2KiB"));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("clicks on a tile, a link and an action say what is known of them", async () => {
  const { page, problems } = await open(browser, `${url}#algorithm=ring&bytes=4KiB`);
  await titles(page);
  const box = await page.locator(".mesh").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  let kinds = new Set();
  for (let dx = -120; dx <= 120; dx += 6) {
    await page.mouse.click(box.x + box.width / 2 + dx, box.y + box.height / 2 + 44);
    kinds.add(await page.locator("#details th").first().textContent());
  }
  assert.ok(kinds.has("Tile") && kinds.has("Link"), [...kinds].join());
  const chart = await page.locator(".timeline").boundingBox();
  kinds = new Set();
  for (let x = 80; x < chart.width; x += 8) {
    await page.mouse.click(chart.x + x, chart.y + 96);
    kinds.add(await page.locator("#details th").first().textContent());
  }
  assert.ok(kinds.has("Action"), [...kinds].join());
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -600);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("a fragment repeats a run; options follow the network", async () => {
  const { page, problems } = await open(browser, url);
  await titles(page, 2);
  await page.fill('[name="network"]', "smart_8x8");
  await page.selectOption('[name="collective"]', "multicast");
  await page.dispatchEvent('[name="network"]', "change");
  await page.waitForFunction(() => [...document.querySelector('[name="algorithm"]').options].every((o) => o.value !== "ring"));
  await page.selectOption('[name="second"]', "");
  await page.click("#more > summary");
  await page.fill('[name="group"]', "row:2");
  await page.click("#run");
  await page.waitForFunction(() => location.hash.includes("smart_8x8") && document.getElementById("stop").hidden);
  const again = await open(browser, page.url());
  assert.deepEqual(await titles(again.page), await titles(page));
  assert.deepEqual([...problems, ...again.problems], []);
  await page.context().close();
  await again.page.context().close();
});

test("errors say what is wrong and keep the last run", async () => {
  const { page } = await open(browser, `${url}#bytes=1KiB&algorithm=in_network`);
  await titles(page);
  await page.fill('[name="bytes"]', "many");
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("error").textContent !== "");
  assert.match(await page.textContent("#error"), /a whole number of bytes/);
  assert.equal(await page.locator(".run").count(), 1);
  await page.fill('[name="bytes"]', "1KiB");
  await page.fill('[name="network"]', "<img src=x onerror=alert(1)>");
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("error").textContent.includes("no preset"));
  assert.equal(await page.locator("#error img").count(), 0);
  await page.context().close();
});

test("a long run stops at once", async () => {
  const { page, problems } = await open(browser, `${url}#bytes=1KiB&algorithm=in_network`);
  await titles(page);
  await page.fill('[name="network"]', "collective_noc_16x16");
  await page.fill('[name="bytes"]', "32KiB");
  await page.click("#more > summary");
  await page.fill('[name="form"]', "chain:1");
  await page.click("#run");
  await page.waitForSelector("#stop:not([hidden])");
  await page.click("#stop");
  await page.waitForFunction(() => document.getElementById("progress").textContent === "Stopped.");
  await page.fill('[name="network"]', "collective_noc_4x4");
  await page.fill('[name="bytes"]', "1KiB");
  await page.fill('[name="form"]', "");
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("Simulated"));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("the program's page shows its runs at once, names as text", async () => {
  const [run] = JSON.parse(noccl("view", "reduce", "--bytes", "1KiB", "--algorithms", "in_network", "--json"));
  run.network = "</script><script>document.title=1</script>";
  writeFileSync(join(folder, "own.json"), JSON.stringify([run]));
  noccl("view", "--from", "own.json", "-o", "own.html");
  const { page, problems } = await open(browser, pathToFileURL(join(folder, "own.html")).href);
  assert.match((await titles(page))[0], /^in_network/);
  assert.equal(await page.title(), "NoCCL: a mesh at work");
  assert.match(await page.textContent("#details"), /<\/script><script>/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("a run on a spec of one's own is run again in the page", async () => {
  writeFileSync(join(folder, "own.toml"), 'base = "collective_noc_4x4"\nname = "own"\n\n[memory]\nlatency_cycles = 20\n');
  noccl("view", "reduce", "--spec", "./own.toml", "--bytes", "1KiB", "--algorithms", "in_network", "-o", "spec.html");
  const { page, problems } = await open(browser, pathToFileURL(join(folder, "spec.html")).href);
  const recorded = await titles(page);
  assert.equal(await page.inputValue('[name="network"]'), "own (own spec)");
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("Simulated"));
  assert.deepEqual(await titles(page), recorded);
  const again = await open(browser, page.url());
  assert.deepEqual(await titles(again.page), recorded);
  assert.deepEqual([...problems, ...again.problems], []);
  await page.context().close();
  await again.page.context().close();
});

test("a notebook shows the page in a frame of its own origin", async () => {
  // The package with the built extension, which is not installed.
  const packaged = join(folder, "python/noccl");
  cpSync(new URL("../../python/noccl", import.meta.url), packaged, { recursive: true, filter: (path) => !path.endsWith(".so") });
  cpSync(NATIVE, join(packaged, "_native.abi3.so"));
  const cell = `
import noccl
result = noccl.view("collective_noc_4x4", "reduce", num_bytes="1KiB", algorithms=["in_network", "tree"])
result.save("saved.html")
result
`;
  const other = `noccl.all_reduce("collective_noc_2x2", [[1.0] * 8] * 4, algorithm="in_network").view()`;
  const kernel = join(folder, "jupyter/kernels/python3");
  mkdirSync(kernel, { recursive: true });
  const argv = [PYTHON, "-m", "ipykernel_launcher", "-f", "{connection_file}"];
  writeFileSync(join(kernel, "kernel.json"), JSON.stringify({ argv, display_name: "Python 3", language: "python" }));
  writeFileSync(join(folder, "cells.json"), JSON.stringify([cell, other]));
  // What a notebook in Jupyter does with its cells.
  const script = `
import json, nbformat
from nbclient import NotebookClient
cells = [nbformat.v4.new_code_cell(text) for text in json.load(open("cells.json"))]
notebook = NotebookClient(nbformat.v4.new_notebook(cells=cells), kernel_name="python3", timeout=300).execute()
for name, cell in zip(("cell.html", "result.html"), notebook.cells):
    (output,) = cell.outputs
    open(name, "w", encoding="utf-8").write("<!doctype html><title>cell</title>" + output["data"]["text/html"])
`;
  const own = { PYTHONPATH: join(folder, "python"), JUPYTER_PATH: join(folder, "jupyter"), JUPYTER_RUNTIME_DIR: join(folder, "runtime") };
  const env = { ...process.env, ...own, JUPYTER_PLATFORM_DIRS: "1", IPYTHONDIR: join(folder, "ipython") };
  execFileSync(PYTHON, ["-c", script], { cwd: folder, env, stdio: "inherit" });
  const { page, problems } = await open(browser, pathToFileURL(join(folder, "cell.html")).href);
  const frame = page.frames()[1];
  const saved = await open(browser, pathToFileURL(join(folder, "saved.html")).href);
  const expected = await titles(saved.page, 2);
  assert.match(expected[1], /^tree/);
  const result = await open(browser, pathToFileURL(join(folder, "result.html")).href);
  assert.match((await titles(result.page.frames()[1]))[0], /^in_network/);
  assert.deepEqual(await titles(frame, 2), expected);
  await frame.click("#choice > summary");
  await frame.selectOption('[name="second"]', "");
  await frame.click("#run");
  await frame.waitForFunction(() => document.getElementById("progress").textContent.startsWith("Simulated"));
  assert.deepEqual(await titles(frame), expected.slice(0, 1));
  assert.equal(await frame.isVisible("#share"), false);
  assert.equal(await frame.evaluate(() => window.origin), "null");
  assert.deepEqual([...problems, ...saved.problems, ...result.problems], []);
  for (const one of [page, saved.page, result.page]) await one.context().close();
});

test("recorded runs are opened; damaged ones are refused in words", async () => {
  const run = noccl("view", "all_to_all", "--spec", "tilepro64_4x4", "--bytes", "128", "--json");
  const whole = JSON.parse(run);
  const files = {
    "run.json": run,
    "cut.json": run.subarray(0, run.length / 2),
    "version.json": JSON.stringify([{ ...whole[0], format: 99 }]),
    "link.json": JSON.stringify([{ ...whole[0], trace: { ...whole[0].trace, num_windows: 1, windows: Buffer.from([1, 0xff, 0x7f, 1]).toString("base64") } }]),
    "windows.json": JSON.stringify([{ ...whole[0], trace: { ...whole[0].trace, windows: "AQ==" } }]),
    "other.json": "{}",
    "none.json": "[]",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { page, problems } = await open(browser, url);
  await titles(page, 2);
  await page.click("#more > summary");
  const load = (name) => page.setInputFiles('[name="file"]', join(folder, name));
  await load("run.json");
  await page.waitForFunction(() => document.querySelectorAll(".run").length === 1);
  const reasons = { "cut.json": /not a recorded run/, "version.json": /format 99/, "link.json": /a link or a port that does not exist/ };
  Object.assign(reasons, { "windows.json": /cut short/, "other.json": /no field format/, "none.json": /no recorded run/ });
  for (const [name, reason] of Object.entries(reasons)) {
    await load(name);
    await page.waitForFunction((n) => document.getElementById("error").textContent.startsWith(n), name);
    assert.match(await page.textContent("#error"), reason);
  }
  assert.equal(await page.locator(".run").count(), 1);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("a deadlock is shown with who waits for whom", async () => {
  const { page, problems } = await open(browser, `${url}#network=collective_noc_4x4_published&collective=all_gather&bytes=4KiB&algorithm=in_network`);
  assert.match((await titles(page))[0], /deadlock/i);
  assert.ok((await page.locator(".waits tr").count()) >= 3);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("nothing is wider than the window, in light and dark", async () => {
  for (const [width, colorScheme] of [[400, "light"], [768, "dark"], [1920, "light"]]) {
    const { page, problems } = await open(browser, `${url}#bytes=1KiB&algorithm=in_network&second=ring`, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    await titles(page, 2);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${width}: ${wide} pixels too wide`);
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});
