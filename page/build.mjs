// SPDX-License-Identifier: Apache-2.0
// Builds the page: one HTML file with style, script, worker and engine. Usage: node build.mjs ENGINE.wasm OUTPUT.html

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [engine, output] = process.argv.slice(2);
if (engine === undefined || output === undefined) {
  console.error("usage: node build.mjs ENGINE.wasm OUTPUT.html");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const source = (name) => join(here, "src", name);

async function bundle(name, define) {
  const options = { bundle: true, minify: true, write: false, target: "es2022", format: "iife", define };
  const built = await build({ ...options, entryPoints: [source(name)] });
  return built.outputFiles[0].text;
}

const worker = await bundle("worker.ts", {});
const script = await bundle("main.ts", { WORKER_SOURCE: JSON.stringify(worker) });
// The end of a script element may not occur within it.
const safe = script.replaceAll("</script", "<\\/script");
const parts = {
  STYLE: readFileSync(source("style.css"), "utf8"),
  SCRIPT: safe,
  ENGINE: gzipSync(readFileSync(engine), { level: 9 }).toString("base64"),
};
let page = readFileSync(source("index.html"), "utf8");
for (const [name, text] of Object.entries(parts)) {
  // A function as replacement: `$` of a text means nothing.
  page = page.replace(`/*${name}*/`, () => text);
}
writeFileSync(`${output}.part`, page);
renameSync(`${output}.part`, output);
console.log(`${output}: ${(page.length / 1e6).toFixed(2)} MB, ${(gzipSync(page).length / 1e6).toFixed(2)} MB gzipped`);
