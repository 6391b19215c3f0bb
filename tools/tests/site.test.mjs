// SPDX-License-Identifier: Apache-2.0
// The site in a browser: pages look as somebody has seen them, and nothing is outside its box on a phone.
// Usage: SITE=out/site FONTS=folder node --test tools/tests/site.test.mjs. NOCCL_WRITE_GOLDEN=1 writes the expected
// pictures anew and whole screenshots to out/site_pictures: look at those then.
//
// Expected pictures have a pixel per 16 × 16 pixels: another hinting of fonts passes, a moved, lost or inverted part
// does not.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, open } from "../../page/tests/browser.mjs";

const { SITE, FONTS, NOCCL_WRITE_GOLDEN } = process.env;
const EXPECTED = join(dirname(fileURLToPath(import.meta.url)), "pictures");
const SHOTS = resolve("out/site_pictures");
const HEIGHTS = { 400: 800, 1280: 800, 1920: 1080 };
const CELL_PIXELS = 16;
// A cell differs if a colour component (0 to 255) differs by more. Text that moves by half a pixel changes half a
// per cent of the cells so much, dark drawings that vanish on a dark page five per cent, paddings of tables seven.
const DIFFERENT = 12;
const MOST_DIFFERENT = 0.015;

/** Page with the anchor that is scrolled to, width, scheme. */
const PICTURES = [
  ["index.html", 400, "dark"],
  ["index.html", 1280, "light"],
  ["index.html", 1920, "dark"],
  ["index.html#by-task", 400, "light"],
  ["tutorial.html#3-compare-algorithms", 400, "light"],
  ["tutorial.html#3-compare-algorithms", 1280, "dark"],
  ["concepts/in-network.html", 400, "light"],
  ["concepts/in-network.html", 1280, "light"],
  ["concepts/in-network.html", 1280, "dark"],
  ["papers/S1.html#gain", 400, "dark"],
  ["papers/S1.html#gain", 1280, "light"],
  ["cli.html", 400, "light"],
  ["cli.html", 1280, "dark"],
  ["cli.html", 1920, "light"],
  ["notebooks/why-is-it-slow.html", 400, "light"],
  ["notebooks/why-is-it-slow.html", 1280, "dark"],
];

let browser;
let folder;

/** Fonts of every machine: those that Matplotlib brings, which its lock file pins. */
function pinFonts() {
  const alias = (kind, name) => `<alias binding="same"><family>${kind}</family><prefer><family>${name}</family></prefer></alias>`;
  const file = join(folder, "fonts.conf");
  const names = alias("sans-serif", "DejaVu Sans") + alias("monospace", "DejaVu Sans Mono");
  writeFileSync(file, `<fontconfig><dir>${resolve(FONTS)}</dir><cachedir>${folder}/cache</cachedir>${names}</fontconfig>`);
  process.env.FONTCONFIG_FILE = file;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "noccl-site-"));
  pinFonts();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const url = (page) => pathToFileURL(resolve(SITE)).href + "/" + page;
const asUrl = (png) => `data:image/png;base64,${png.toString("base64")}`;

/** A PNG of a screenshot with one pixel per cell, the mean of its pixels. */
async function coarse(page, png) {
  const code = await page.evaluate(
    async ([source, cell]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const draw = (width, height) => {
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        return [canvas, canvas.getContext("2d", { willReadFrequently: true })];
      };
      const [columns, rows] = [image.width, image.height].map((pixels) => Math.floor(pixels / cell));
      const [, whole] = draw(image.width, image.height);
      whole.drawImage(image, 0, 0);
      const [canvas, context] = draw(columns, rows);
      const small = context.createImageData(columns, rows);
      for (let y = 0; y < rows; y++) {
        for (let x = 0; x < columns; x++) {
          const { data } = whole.getImageData(x * cell, y * cell, cell, cell);
          const sums = [0, 0, 0, 0];
          data.forEach((value, i) => (sums[i % 4] += value));
          sums.forEach((sum, i) => (small.data[4 * (y * columns + x) + i] = Math.round(sum / (cell * cell))));
        }
      }
      context.putImageData(small, 0, 0);
      return canvas.toDataURL("image/png").split(",")[1];
    },
    [asUrl(png), CELL_PIXELS],
  );
  return Buffer.from(code, "base64");
}

/** Fraction of the cells of two coarse pictures that differ; 1 of pictures of another size. */
const difference = (page, one, other) =>
  page.evaluate(
    async ([sources, most]) => {
      const [a, b] = await Promise.all(
        sources.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const { width, height } = image;
          const canvas = Object.assign(document.createElement("canvas"), { width, height });
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          return { width, height, data: context.getImageData(0, 0, width, height).data };
        }),
      );
      if (a.width !== b.width || a.height !== b.height) return 1;
      let cells = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        cells += [0, 1, 2].some((j) => Math.abs(a.data[i + j] - b.data[i + j]) > most) ? 1 : 0;
      }
      return (4 * cells) / a.data.length;
    },
    [[asUrl(one), asUrl(other)], DIFFERENT],
  );

/** Screenshot of a page, with a style sheet of its own after those of the site. */
async function screenshot(address, width, colorScheme, style = "") {
  const { page, problems } = await open(browser, url(address), { viewport: { width, height: HEIGHTS[width] }, colorScheme });
  await page.addStyleTag({ content: `* { transition: none !important; } ${style}` });
  await page.waitForLoadState("networkidle");
  const anchor = address.split("#")[1];
  if (anchor) await page.$eval(`[id="${anchor}"]`, (heading) => heading.scrollIntoView());
  await page.waitForTimeout(200);
  const png = await page.screenshot();
  assert.deepEqual(problems, []);
  return { page, png };
}

for (const [address, width, scheme] of PICTURES) {
  const name = `${address.replace(/\.html#?/, "_").replaceAll("/", "_")}_${width}_${scheme}.png`.replace("__", "_");
  test(`${address} is the expected picture, ${width} pixels wide, ${scheme}`, async () => {
    const { page, png } = await screenshot(address, width, scheme);
    const today = await coarse(page, png);
    if (NOCCL_WRITE_GOLDEN) {
      mkdirSync(SHOTS, { recursive: true });
      writeFileSync(join(SHOTS, name), png);
      writeFileSync(join(EXPECTED, name), today);
    }
    const found = await difference(page, today, readFileSync(join(EXPECTED, name)));
    await page.context().close();
    const percent = (100 * found).toFixed(1);
    assert.ok(found <= MOST_DIFFERENT, `${percent} % of the cells differ. Is it right? NOCCL_WRITE_GOLDEN=1 make test-site, and look`);
  });
}

test("another layout, a lost drawing or other colours are another picture", async () => {
  const [address, width, scheme] = ["concepts/in-network.html", 1280, "dark"];
  const expected = readFileSync(join(EXPECTED, "concepts_in-network_1280_dark.png"));
  const broken = {
    "no navigation": ".md-sidebar--primary { display: none }",
    "no drawings": ".md-content img { visibility: hidden }",
    "light drawings": ".md-content img { filter: invert(1) }",
    "narrow text": ".md-content { max-width: 400px }",
    "larger text": "html { font-size: 150% }",
    "lines further apart": ".md-typeset p { line-height: 1.75 }",
  };
  for (const [what, style] of Object.entries(broken)) {
    const { page, png } = await screenshot(address, width, scheme, style);
    const found = await difference(page, await coarse(page, png), expected);
    await page.context().close();
    assert.ok(found > 2 * MOST_DIFFERENT, `${what}: ${found}`);
  }
});

test("text between other pixels, as other hinting puts it, is the same picture", async () => {
  const style = ".md-main { transform: translate(0.4px, 0.4px) }";
  const { page, png } = await screenshot("index.html", 1280, "light", style);
  const found = await difference(page, await coarse(page, png), readFileSync(join(EXPECTED, "index_1280_light.png")));
  await page.context().close();
  assert.ok(found <= MOST_DIFFERENT / 2, `${found}`);
});

test("nothing is outside its box on a phone, on any page", async () => {
  const pages = readdirSync(SITE, { recursive: true }).filter((name) => name.endsWith(".html") && !name.startsWith("repository"));
  assert.ok(pages.length > 80);
  const { page } = await open(browser, "about:blank", { viewport: { width: 400, height: 800 } });
  const outside = [];
  for (const name of pages) {
    await page.goto(url(name));
    const found = await page.evaluate(() => {
      const all = [...document.querySelectorAll("article *")];
      const scrolls = (element) => ["auto", "scroll", "hidden"].includes(getComputedStyle(element).overflowX);
      const isInBox = (element) => {
        for (let box = element; box.tagName !== "ARTICLE"; box = box.parentElement) if (scrolls(box)) return true;
        return false;
      };
      const lost = all.filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !isInBox(element));
      const { scrollWidth, clientWidth } = document.documentElement;
      return [...lost.map((one) => one.textContent.slice(0, 40)), ...(scrollWidth > clientWidth ? ["the page scrolls"] : [])];
    });
    if (found.length) outside.push(`${name}: ${found[0]}`);
  }
  await page.context().close();
  assert.deepEqual(outside, []);
});
