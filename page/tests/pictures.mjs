// SPDX-License-Identifier: Apache-2.0
// Pictures as grids of mean colours: another layout moves them, another rendering of letters hardly does.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Squares in a row of a grid. */
const COLUMNS = 96;
/** A square differs from here on, of 255 levels of its worst channel. */
const DIFFERENT_LEVELS = 20;
/** Share of squares that may differ. */
const MOST_DIFFERENT = 0.02;

/** Runs in the browser, which reads and writes PNG: the grid of a screenshot, and how much of it differs from a stored one. */
async function compared([screenshot, stored, columns, levels]) {
  const pixels = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const { width, height, data } = await pixels(screenshot);
  const rows = Math.round((columns * height) / width);
  const grid = new ImageData(columns, rows);
  for (let square = 0; square < columns * rows; square++) {
    const [column, row] = [square % columns, Math.floor(square / columns)];
    const [left, right] = [column, column + 1].map((n) => Math.floor((n * width) / columns));
    const [top, bottom] = [row, row + 1].map((n) => Math.floor((n * height) / rows));
    const sums = [0, 0, 0];
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) for (let c = 0; c < 3; c++) sums[c] += data[4 * (y * width + x) + c];
    }
    for (let c = 0; c < 3; c++) grid.data[4 * square + c] = sums[c] / ((bottom - top) * (right - left));
    grid.data[4 * square + 3] = 255;
  }
  const canvas = new OffscreenCanvas(columns, rows);
  canvas.getContext("2d").putImageData(grid, 0, 0);
  const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  const found = btoa(String.fromCharCode(...png));
  if (stored === null) return { found, different: 1 };
  const expected = await pixels(stored);
  if (expected.width !== columns || expected.height !== rows) return { found, different: 1 };
  let different = 0;
  for (let at = 0; at < grid.data.length; at += 4) {
    const off = Math.max(...[0, 1, 2].map((c) => Math.abs(grid.data[at + c] - expected.data[at + c])));
    if (off > levels) different += 1;
  }
  return { found, different: different / (columns * rows) };
}

/** What is wrong with a page's picture; empty if it is as stored. `NOCCL_WRITE_GOLDEN=1` stores it. */
export async function difference(page, name, folder) {
  const path = new URL(`pictures/${name}.png`, import.meta.url);
  const screenshot = await page.screenshot();
  if (folder !== undefined) writeFileSync(`${folder}/${name}.png`, screenshot);
  const stored = existsSync(path) ? readFileSync(path).toString("base64") : null;
  const { found, different } = await page.evaluate(compared, [screenshot.toString("base64"), stored, COLUMNS, DIFFERENT_LEVELS]);
  if (process.env.NOCCL_WRITE_GOLDEN !== undefined) {
    writeFileSync(path, Buffer.from(found, "base64"));
    return "";
  }
  if (different <= MOST_DIFFERENT) return "";
  return `${name}: ${(100 * different).toFixed(1)} % of the picture differ; accepted: ${100 * MOST_DIFFERENT} %`;
}
