// SPDX-License-Identifier: Apache-2.0
/** The page: what is chosen, what runs, what is shown. */

import { onSchemeChange } from "./colours.ts";
import { Controls } from "./controls.ts";
import { Engine, Stopped, compile } from "./engine.ts";
import { fragmentOf, sharedOf } from "./fragment.ts";
import { Player } from "./player.ts";
import { viewOf } from "./recording.ts";
import { DEFAULT, type View, isRecordingText, readViews } from "./view.ts";

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const engine = new Engine(compile(element("engine").textContent ?? ""));
const controls = new Controls(element<HTMLFormElement>("form"));
const player = new Player();
/** What a new visitor sees: a collective by the network and by software. */
const FIRST = { request: { ...DEFAULT, algorithm: "in_network_once" }, second: "ring" };

const progress = element("progress");
const failure = element("error");

function show(views: View[]): void {
  player.show(views);
  failure.textContent = "";
}

function fail(error: unknown): void {
  failure.textContent = error instanceof Stopped ? "" : (error as Error).message;
}

/** The network or the collective has changed: which algorithms are there? */
async function refresh(): Promise<void> {
  try {
    controls.offer(await engine.options({ ...controls.shared().request, algorithm: "auto" }));
    failure.textContent = "";
  } catch (error) {
    fail(error);
  }
}

async function run(): Promise<void> {
  const { request, second } = controls.shared();
  const algorithms = second === "" ? [request.algorithm] : [request.algorithm, second];
  element("stop").hidden = false;
  failure.textContent = "";
  const views: View[] = [];
  const start = performance.now();
  try {
    for (const algorithm of algorithms) {
      views.push(
        await engine.view({ ...request, algorithm }, (done, total, cycles) => {
          progress.textContent = `${algorithm}: cycle ${cycles.toLocaleString("en")}, ${done} of ${total} actions`;
        }),
      );
    }
    if (location.protocol !== "about:") history.replaceState(null, "", `#${fragmentOf({ request, second })}`);
    show(views);
    progress.textContent = `Simulated in ${((performance.now() - start) / 1000).toFixed(2)} s.`;
  } catch (error) {
    progress.textContent = error instanceof Stopped ? "Stopped." : "";
    fail(error);
  } finally {
    element("stop").hidden = true;
  }
}

async function open(file: File): Promise<void> {
  const { name } = file;
  try {
    const text = await file.text();
    if (text.startsWith("PAR1")) throw new Error(`a Parquet file; accepted here: JSON, or \`noccl view ${name}\``);
    const views = isRecordingText(text) ? [viewOf(await engine.recording(name, text))] : readViews(text);
    show(views);
    progress.textContent = `${name}: a recorded run.`;
  } catch (error) {
    const { message } = error as Error;
    // The engine names the file itself.
    fail(new Error(message.startsWith(`${name}: `) ? message : `${name}: ${message}`));
  }
}

async function copyLink(): Promise<void> {
  const { href } = new URL(`#${fragmentOf(controls.shared())}`, location.href);
  try {
    await navigator.clipboard.writeText(href);
    progress.textContent = "The link is on the clipboard.";
  } catch {
    progress.textContent = href;
  }
}

/** The runs that the file brings along, if no fragment asks for others. */
function recorded(): View[] {
  const text = element("recorded").textContent ?? "";
  // The command line writes runs in place of a comment.
  return text.startsWith("/*") ? [] : readViews(text);
}

/** In a frame or on a phone the mesh comes before the choice; a frame without an address has no link to copy. */
function arrange(): void {
  const isEmbedded = window.parent !== window;
  document.body.classList.toggle("embedded", isEmbedded);
  element<HTMLDetailsElement>("choice").open = !isEmbedded && !window.matchMedia("(max-width: 900px)").matches;
  element("share").hidden = location.protocol === "about:";
}

async function begin(): Promise<void> {
  const views = recorded();
  const first = views[0];
  if (location.hash.length > 1) {
    controls.set(sharedOf(location.hash));
  } else if (first !== undefined) {
    if (first.recording === undefined) controls.set({ request: first.request, second: views[1]?.request.algorithm ?? "" });
    else controls.set(FIRST);
    show(views);
    progress.textContent = "A recorded run.";
  } else {
    controls.set(FIRST);
  }
  await refresh();
  if (location.hash.length > 1 || first === undefined) await run();
}

controls.onChange = () => void refresh();
controls.onRun = () => void run();
controls.onFile = (file) => void open(file);
element("stop").addEventListener("click", () => engine.stop());
element("share").addEventListener("click", () => void copyLink());
window.addEventListener("hashchange", () => {
  controls.set(sharedOf(location.hash));
  void refresh().then(run);
});
onSchemeChange(() => player.draw());
arrange();
void begin();
