// SPDX-License-Identifier: Apache-2.0
// A browser without a window, and pages in it that may reach nothing and may complain about nothing.

import { createRequire } from "node:module";
import { chromium as driver } from "playwright-core";

const packaged = createRequire(import.meta.url)("@sparticuz/chromium");
const chromium = packaged.default ?? packaged;

// A browser of one process ends with its first window.
const ONE_PROCESS = ["--single-process", "--no-zygote"];

export async function launch() {
  const args = chromium.args.filter((word) => !ONE_PROCESS.includes(word));
  return driver.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}

/** Opens an address; `problems` collects errors, complaints and requests that leave the file. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // The merge gate runs other stages on the same cores.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("console", (message) => {
    // The tests read canvases back, the page does not.
    const isOfTest = message.text().includes("willReadFrequently");
    if (!isOfTest && (message.type() === "error" || message.type() === "warning")) problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** The first lines of the runs, once there are any. */
export async function titles(page, count = 1) {
  await page.waitForFunction(
    (n) => document.querySelectorAll(".run").length >= n || document.getElementById("error").textContent !== "",
    count,
    { timeout: 120_000 },
  );
  return page.$$eval(".run > h2", (all) => all.map((one) => one.textContent));
}
