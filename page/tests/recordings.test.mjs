// SPDX-License-Identifier: Apache-2.0
// Recordings of runs in the page: schedules, programs, bad files as the command line refuses them, hostile names.
// Usage: NOCCL=program NATIVE=extension PYTHON=python PAGE=page.html node --test tests/recordings.test.mjs

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, titles } from "./browser.mjs";

const { NATIVE, NOCCL, PAGE, PYTHON } = process.env;
const url = pathToFileURL(resolve(PAGE)).href;
let browser;
let folder;
let env;

/** Four ranks: each computes longer than the one before, sends to the next one, and meets the others. */
const PROGRAM = `
import noccl

def ring(comm):
    comm.compute(cycles=400 * (comm.rank + 1))
    comm.sendrecv(b"x" * 4000, dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
    comm.Barrier()

recording = noccl.run_program(ring, "collective_noc_4x4", ranks=4, record=True).recording
recording.to_perfetto("ranks.json")
recording.to_parquet("ranks.parquet")
recording.view().save("ranks.html")
`;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "noccl-recordings-"));
  // The package with the built extension, which is not installed.
  const packaged = join(folder, "python/noccl");
  cpSync(new URL("../../python/noccl", import.meta.url), packaged, { recursive: true, filter: (path) => !path.endsWith(".so") });
  cpSync(NATIVE, join(packaged, "_native.abi3.so"));
  env = { ...process.env, PYTHONPATH: join(folder, "python"), NOCCL_PYTHON: PYTHON };
  noccl("schedule", "all_reduce", "--bytes", "8KiB", "--algorithm", "in_network", "-o", "sum.json");
  noccl("run", "schedule", "sum.json", "--record", "run.json");
  writeFileSync(join(folder, "program.py"), PROGRAM);
  execFileSync(PYTHON, ["program.py"], { cwd: folder, env, stdio: "inherit" });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const noccl = (...words) => execFileSync(NOCCL, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
const pageOf = (name) => pathToFileURL(join(folder, name)).href;
const details = (page) => page.$$eval("#details tr", (lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent)));

/** What is known of all that is clicked in a row of points. */
async function clicked(page, selector, y, step) {
  const box = await page.locator(selector).first().boundingBox();
  const found = [];
  for (let x = 70; x < box.width - 14; x += step) {
    await page.mouse.click(box.x + x, box.y + y * box.height);
    found.push(...(await details(page)));
  }
  return found;
}

test("a recorded schedule plays on the mesh, and says where and why its flits wait", async () => {
  noccl("view", "run.json", "-o", "run.html");
  const { page, problems } = await open(browser, pageOf("run.html"));
  assert.match((await titles(page))[0], /^all_reduce of 8192 bytes by in_network.*: 312 cycles \(/);
  const { recording } = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
  const sums = new Map();
  for (const { cause, cycles } of recording.blocked.ports) sums.set(cause, (sums.get(cause) ?? 0) + cycles);
  const rows = await details(page);
  const blocked = rows.filter(([name]) => name.startsWith("Blocked: ")).map(([, text]) => Number.parseInt(text.replaceAll(",", ""), 10));
  const ascending = (numbers) => [...numbers].sort((a, b) => a - b);
  assert.deepEqual(ascending(blocked), ascending(sums.values()));
  const actions = await clicked(page, ".timeline", 0.75, 24);
  assert.ok(actions.some(([name]) => name === "Action"));
  assert.ok(actions.some(([name, text]) => name === "multicast" && /cycles \d+ to \d+$/.test(text)), JSON.stringify(actions));
  const tiles = await clicked(page, ".mesh", 0.375, 16);
  assert.ok(tiles.some(([name]) => /^Waits, (wide|rsp|req), from /.test(name)), JSON.stringify(tiles));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("ranks of a recorded program are bars that say for whom they wait", async () => {
  const { page, problems } = await open(browser, pageOf("ranks.html"));
  assert.match((await titles(page))[0], /^a Python program, 4 ranks: [\d,]+ cycles \(/);
  const whole = await details(page);
  assert.ok(whole.some(([name]) => name === "Ranks: wait"));
  const bars = await clicked(page, ".timeline", 0.62, 12);
  assert.ok(bars.some(([name, text]) => name === "Waits for" && text.includes("a message from rank 3")), JSON.stringify(bars));
  assert.ok(bars.some(([name, text]) => name === "At" && text.includes("program.py:6")));
  noccl("view", "ranks.parquet", "-o", "parquet.html");
  const other = await open(browser, pageOf("parquet.html"));
  assert.deepEqual(await titles(other.page), await titles(page));
  assert.deepEqual(await details(other.page), whole);
  assert.deepEqual([...problems, ...other.problems], []);
  await page.context().close();
  await other.page.context().close();
});

test("two recordings play at the same cycle", async () => {
  noccl("view", "run.json", "ranks.json", "-o", "two.html");
  const { page, problems } = await open(browser, pageOf("two.html"));
  assert.equal((await titles(page, 2)).length, 2);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("wrong files are refused in the words of the command line", async () => {
  const text = readFileSync(join(folder, "run.json"), "utf8");
  const changed = (change) => {
    const { recording } = JSON.parse(text);
    change(recording);
    return JSON.stringify({ recording });
  };
  const wrong = [
    text.slice(0, text.length / 2),
    text.slice(0, -40),
    changed((of) => (of.format = 1)),
    changed((of) => (of.flits.num_windows = 1_000_000)),
    changed((of) => (of.mesh = "wide")),
    changed((of) => (of.flits.windows = of.flits.windows.slice(0, -8))),
    changed((of) => (of.flits.links[0].flits += 1)),
    changed((of) => (of.transactions.from[0] = -1)),
    changed((of) => (of.actions = { length: 3 })),
    '{"recording": null}',
    '{"traceEvents": []}',
  ];
  const { page, problems } = await open(browser, `${url}#bytes=1KiB&algorithm=in_network`);
  const shown = await titles(page);
  for (const content of wrong) {
    writeFileSync(join(folder, "wrong.json"), content);
    const refused = spawnSync(NOCCL, ["view", "wrong.json"], { cwd: folder, encoding: "utf8" });
    assert.notEqual(refused.status, 0, content.slice(0, 80));
    await page.$eval("#error", (line) => (line.textContent = ""));
    await page.setInputFiles('[name="file"]', join(folder, "wrong.json"));
    await page.waitForFunction(() => document.getElementById("error").textContent !== "");
    const said = await page.textContent("#error");
    assert.ok(refused.stderr.includes(said), `${said}\n${refused.stderr}`);
    assert.deepEqual(await titles(page), shown);
  }
  await page.setInputFiles('[name="file"]', join(folder, "ranks.parquet"));
  await page.waitForFunction(() => document.getElementById("error").textContent.includes("Parquet"));
  await page.setInputFiles('[name="file"]', join(folder, "run.json"));
  await page.waitForFunction(() => document.getElementById("progress").textContent === "run.json: a recorded run.");
  assert.equal(await page.textContent("#error"), "");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("names of a recording are shown as text", async () => {
  const hostile = "</script><img src=x onerror=document.title=1>";
  const { recording } = JSON.parse(readFileSync(join(folder, "ranks.json"), "utf8"));
  recording.workload = hostile;
  recording.network = hostile;
  recording.tiles = recording.tiles.map(() => hostile);
  for (const call of recording.calls) Object.assign(call, { call: hostile, call_site: hostile, awaits: hostile });
  writeFileSync(join(folder, "hostile.json"), JSON.stringify({ recording }));
  noccl("view", "hostile.json", "-o", "hostile.html");
  const { page, problems } = await open(browser, pageOf("hostile.html"));
  assert.ok((await titles(page))[0].startsWith(hostile));
  const bars = await clicked(page, ".timeline", 0.62, 24);
  assert.ok(bars.some(([name, text]) => name === "Waits for" && text === hostile));
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(await page.title(), "NoCCL: a mesh at work");
  assert.deepEqual(problems, []);
  await page.context().close();
});
