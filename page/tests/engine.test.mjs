// SPDX-License-Identifier: Apache-2.0
// The engine as WebAssembly gives what the program gives, over presets, collectives and algorithms.
// A field that a request leaves out has the default of both. Usage: NOCCL=program ENGINE=file.wasm node --test tests/engine.test.mjs

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "esbuild";

const { NOCCL, ENGINE } = process.env;

/** The page's own module around the engine. */
async function instance() {
  const url = new URL("../src/instance.ts", import.meta.url);
  const built = await build({ entryPoints: [url.pathname], bundle: true, write: false, format: "esm" });
  const source = `data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`;
  const { Instance } = await import(source);
  return Instance.of(await WebAssembly.compile(readFileSync(ENGINE)), () => {});
}

function native(request) {
  const words = ["view", request.collective, "--spec", request.network];
  words.push("--algorithms", request.algorithm, "--json");
  if (request.collective !== "barrier") words.push("--bytes", request.bytes);
  if (/reduce|scan/.test(request.collective)) words.push("--element", request.element);
  const { status, stdout, stderr } = spawnSync(NOCCL, words, { maxBuffer: 1 << 28, encoding: "utf8" });
  // 1: the run deadlocks, which both show.
  if (status !== 0 && (status !== 1 || stdout === "")) throw new Error(stderr);
  return JSON.parse(stdout)[0];
}

const PRESETS = [
  "collective_noc_4x4",
  "collective_noc_3x5",
  "collective_noc_4x4_published",
  "collective_noc_8x8_bypass",
  "torrent_4x5",
  "esp_4x5",
  "ideal_4x4",
  "smart_8x8",
  "smart_4x4_private",
  "tilepro64_4x4",
];
const COLLECTIVES = ["multicast", "reduce", "all_reduce", "all_gather", "all_to_all", "scatter", "gather", "barrier"];

test("a hundred runs are those of the program", async () => {
  const engine = await instance();
  let compared = 0;
  for (const network of PRESETS) {
    for (const collective of COLLECTIVES) {
      const base = { network, collective, bytes: "512", element: "int32" };
      const offered = JSON.parse(engine.call(JSON.stringify({ call: "options", request: base })));
      if ("error" in offered) continue;
      // auto first, then the library's last one: in the network where there is one.
      for (const algorithm of new Set([offered.options.algorithms[0], offered.options.algorithms.at(-1)])) {
        const request = { ...base, algorithm };
        const reply = JSON.parse(engine.call(JSON.stringify({ call: "view", request })));
        if ("error" in reply) {
          assert.throws(() => native(request), `${network} ${collective} ${algorithm}: ${reply.error}`);
          continue;
        }
        // The request of the reply names what was asked for in each's own words.
        const { request: _, ...found } = reply.view;
        const { request: __, ...expected } = native(request);
        assert.deepEqual(found, expected, `${network} ${collective} ${algorithm}`);
        compared += 1;
      }
    }
  }
  assert.ok(compared >= 100, `only ${compared} runs were compared`);
});

test("what is no call is refused in words", async () => {
  const engine = await instance();
  for (const call of ["", "{}", '{"call":"view"}', '{"call":"view","request":{"bytes":3}}', "\u0000", "[".repeat(500)]) {
    assert.match(JSON.parse(engine.call(call)).error, /not a call/);
  }
  const big = { network: "collective_noc_9999x9999" };
  assert.match(JSON.parse(engine.call(JSON.stringify({ call: "view", request: big }))).error, /no preset/);
});
