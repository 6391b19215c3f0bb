// SPDX-License-Identifier: Apache-2.0
/** One run: its result in a line, the mesh, the legend, the chart over time, and a deadlock's waits. */

import { ofKind, ofPlane, palette } from "./colours.ts";
import { Mesh, type Selected } from "./mesh.ts";
import type { Run } from "./run.ts";
import { Timeline } from "./timeline.ts";
import { summary } from "./view.ts";
import { waitsTable } from "./waits.ts";

export class Panel {
  readonly root = document.createElement("article");
  selected: Selected = null;
  planes = new Set<string>();
  onSelect: (selected: Selected) => void = () => {};
  onCycle: (cycle: number) => void = () => {};
  onRedraw = () => {};
  private readonly mesh: Mesh;
  private readonly timeline: Timeline;

  constructor(
    readonly run: Run,
    maxCycles: number,
  ) {
    this.root.className = "run";
    const title = document.createElement("h2");
    title.textContent = summary(run.view);
    const mesh = canvas("mesh", `Mesh of ${run.view.network} with ${run.view.mesh.join(" by ")} tiles`);
    const timeline = canvas("timeline", `Flits per cycle and ${run.view.actions.length} actions over ${run.duration} cycles`);
    mesh.style.aspectRatio = run.view.mesh.join(" / ");
    this.mesh = new Mesh(mesh, run);
    this.timeline = new Timeline(timeline, run, maxCycles);
    this.root.append(title, mesh, legend(run), timeline);
    if (run.view.stall !== null) this.root.append(waitsTable(run.view));
    this.listenToMesh(mesh);
    this.listenToTimeline(timeline);
  }

  draw(cycle: number): void {
    this.mesh.draw(cycle, this.planes, this.selected);
    this.timeline.draw(cycle, this.selected);
  }

  private listenToMesh(target: HTMLCanvasElement): void {
    let last: [number, number] | null = null;
    let moved = 0;
    target.addEventListener("pointerdown", (event) => {
      target.setPointerCapture(event.pointerId);
      last = [event.offsetX, event.offsetY];
      moved = 0;
    });
    target.addEventListener("pointermove", (event) => {
      if (last === null) return;
      const [dx, dy] = [event.offsetX - last[0], event.offsetY - last[1]];
      moved += Math.abs(dx) + Math.abs(dy);
      last = [event.offsetX, event.offsetY];
      this.mesh.panBy(dx, dy);
      this.onRedraw();
    });
    target.addEventListener("pointerup", (event) => {
      if (moved < 5) this.onSelect(this.mesh.at(event.offsetX, event.offsetY, this.planes));
      last = null;
    });
    target.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.mesh.zoomBy(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
        this.onRedraw();
      },
      { passive: false },
    );
    target.addEventListener("keydown", (event) => {
      const factor = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 }[event.key];
      if (factor !== undefined) {
        this.mesh.zoomBy(factor, target.clientWidth / 2, target.clientHeight / 2);
        this.onRedraw();
      }
      const { tiles, trace } = this.run.view;
      if (/^[np]$/.test(event.key)) this.step(event.key, "tile", tiles.length);
      if (/^[NP]$/.test(event.key)) this.step(event.key.toLowerCase(), "link", trace.links.length);
      if (event.key === "Escape") this.onSelect(null);
    });
  }

  /** Selects the next or the previous one of so many. */
  private step(key: string, kind: "tile" | "link" | "action", count: number): void {
    if (count === 0) return;
    const known = this.selected as Record<string, number> | null;
    const last = known?.[kind] ?? (key === "n" ? -1 : count);
    const at = (last + (key === "n" ? 1 : -1) + count) % count;
    if (kind === "action") this.onCycle(this.run.view.actions[at]!.start_cycle);
    this.onSelect(kind === "tile" ? { tile: at } : kind === "link" ? { link: at } : { action: at });
  }

  private listenToTimeline(target: HTMLCanvasElement): void {
    let isDown = false;
    target.addEventListener("pointerdown", (event) => {
      isDown = true;
      target.setPointerCapture(event.pointerId);
      const found = this.timeline.at(event.offsetX, event.offsetY);
      if (found !== null) this.onSelect(found);
      this.onCycle(this.timeline.cycleAt(event.offsetX));
    });
    target.addEventListener("pointermove", (event) => {
      if (isDown) this.onCycle(this.timeline.cycleAt(event.offsetX));
    });
    target.addEventListener("pointerup", () => {
      isDown = false;
    });
    target.addEventListener("keydown", (event) => {
      if (/^[np]$/.test(event.key)) this.step(event.key, "action", this.run.view.actions.length);
      if (event.key === "Escape") this.onSelect(null);
    });
  }
}

function canvas(name: string, label: string): HTMLCanvasElement {
  const made = document.createElement("canvas");
  made.className = name;
  made.tabIndex = 0;
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

/** Colours of planes and of actions. */
function legend(run: Run): HTMLUListElement {
  const list = document.createElement("ul");
  list.className = "legend";
  const entry = (colour: string, text: string) => {
    const item = document.createElement("li");
    const mark = document.createElement("i");
    mark.style.background = colour;
    item.append(mark, text);
    list.append(item);
  };
  run.planes.forEach((plane) => entry(ofPlane(plane), `flits, ${plane} plane`));
  run.kinds.forEach((kind, index) => entry(ofKind(index), kind));
  if (run.view.recording?.hasPorts === true) entry(palette().ink, "outline: flits wait in the router");
  return list;
}
