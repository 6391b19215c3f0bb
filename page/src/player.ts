// SPDX-License-Identifier: Apache-2.0
/** Runs next to each other at the same cycle: played, scrubbed, clicked. */

import { Details } from "./details.ts";
import { Panel } from "./panel.ts";
import { Run } from "./run.ts";
import type { View } from "./view.ts";

const SPEEDS = [1, 4, 16, 64, 256, 1024, 4096];
/** A run plays in about so many seconds unless a speed has been chosen. */
const PLAY_SECONDS = 12;

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Player {
  private panels: Panel[] = [];
  private cycle = 0;
  private maxCycles = 1;
  private lastFrame: number | null = null;
  private readonly slider = element<HTMLInputElement>("cycle");
  private readonly speed = element<HTMLSelectElement>("speed");
  private readonly button = element<HTMLButtonElement>("play");
  private readonly planes = new Set<string>();
  private readonly details = new Details(element("details"));

  constructor() {
    this.speed.replaceChildren(...SPEEDS.map((speed) => new Option(`${speed.toLocaleString("en")} cycles/s`, String(speed))));
    this.button.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)));
    window.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(element("runs"));
  }

  show(views: View[]): void {
    const runs = views.map((view) => new Run(view));
    this.maxCycles = Math.max(...runs.flatMap((run) => [run.duration, run.boundCycle ?? 0]));
    this.offerPlanes(runs);
    this.panels = runs.map((run) => new Panel(run, this.maxCycles));
    for (const panel of this.panels) {
      panel.onSelect = (selected) => {
        for (const other of this.panels) other.selected = other === panel ? selected : null;
        this.details.show(panel.run, selected, this.cycle);
        this.draw();
      };
      panel.onCycle = (cycle) => this.goTo(cycle);
      panel.onRedraw = () => this.draw();
      panel.planes = this.planes;
    }
    element("runs").replaceChildren(...this.panels.map((panel) => panel.root));
    this.slider.max = String(this.maxCycles);
    const wanted = this.maxCycles / PLAY_SECONDS;
    this.speed.value = String(SPEEDS.find((speed) => speed >= wanted) ?? SPEEDS.at(-1));
    this.details.show(runs[0]!, null, 0);
    this.pause();
    this.goTo(0);
  }

  draw(): void {
    for (const panel of this.panels) panel.draw(this.cycle);
  }

  private goTo(cycle: number): void {
    this.cycle = Math.min(Math.max(cycle, 0), this.maxCycles);
    this.slider.value = String(this.cycle);
    const whole = Math.floor(this.cycle).toLocaleString("en");
    element("cycle-text").textContent = `${whole} of ${this.maxCycles.toLocaleString("en")}`;
    this.slider.setAttribute("aria-valuetext", `cycle ${whole}`);
    const selecting = this.panels.find((panel) => panel.selected !== null);
    if (selecting !== undefined && this.lastFrame === null) this.details.show(selecting.run, selecting.selected, this.cycle);
    this.draw();
  }

  private toggle(): void {
    if (this.lastFrame !== null) {
      this.pause();
      return;
    }
    if (this.cycle >= this.maxCycles) this.goTo(0);
    this.lastFrame = performance.now();
    this.name("Pause");
    requestAnimationFrame((now) => this.frame(now));
  }

  private pause(): void {
    this.lastFrame = null;
    this.name("Play");
  }

  private name(text: string): void {
    this.button.textContent = text;
    this.button.setAttribute("aria-label", text);
  }

  private frame(now: number): void {
    if (this.lastFrame === null) return;
    const seconds = Math.max(now - this.lastFrame, 0) / 1000;
    this.lastFrame = now;
    this.goTo(this.cycle + seconds * Number(this.speed.value));
    if (this.cycle >= this.maxCycles) this.pause();
    else requestAnimationFrame((next) => this.frame(next));
  }

  private onKey(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).matches("input, select, button, summary, textarea")) return;
    const step = event.shiftKey ? this.maxCycles / 20 : 1;
    const steps: Record<string, () => void> = {
      " ": () => this.toggle(),
      ArrowRight: () => this.goTo(Math.floor(this.cycle) + step),
      ArrowLeft: () => this.goTo(Math.ceil(this.cycle) - step),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.maxCycles),
    };
    const act = steps[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  /** One box per plane that carries flits. */
  private offerPlanes(runs: Run[]): void {
    const all = [...new Set(runs.flatMap((run) => run.planes))];
    this.planes.clear();
    const boxes = all.map((plane) => {
      this.planes.add(plane);
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        if (box.checked) this.planes.add(plane);
        else this.planes.delete(plane);
        this.draw();
      });
      const label = document.createElement("label");
      label.append(box, plane);
      return label;
    });
    const legend = document.createElement("legend");
    legend.textContent = "Planes";
    element("planes").replaceChildren(legend, ...boxes);
  }
}
