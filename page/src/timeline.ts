// SPDX-License-Identifier: Apache-2.0
/** Time from left to right: flits per cycle by plane, the lower bound, and a Gantt chart of the actions. */

import { ofKind, ofPlane, palette } from "./colours.ts";
import type { Selected } from "./mesh.ts";
import type { Run } from "./run.ts";

const LOAD_PIXELS = 70;
const AXIS_PIXELS = 18;
const LEFT_PIXELS = 64;
const RIGHT_PIXELS = 12;
const ROW_PIXELS = 15;
/** Charts with more rows than fit have thinner ones. */
const MAX_PIXELS = 260;
/** Above the loads, for the name of the bound. */
const TOP_PIXELS = 16;

interface Bar {
  action: number;
  row: number;
}

export class Timeline {
  private readonly shown: CanvasRenderingContext2D;
  /** What does not change while time passes. */
  private readonly context: CanvasRenderingContext2D;
  private drawn = "";
  private bars: Bar[] = [];
  private rows: string[] = [];

  constructor(
    readonly canvas: HTMLCanvasElement,
    private run: Run,
    private maxCycles: number,
  ) {
    this.shown = canvas.getContext("2d")!;
    this.context = document.createElement("canvas").getContext("2d")!;
    this.show(run, maxCycles);
  }

  /** Shows a run; charts of two runs have the same scale. */
  show(run: Run, maxCycles: number): void {
    this.run = run;
    this.maxCycles = maxCycles;
    const tileOf = run.view.actions.map((action) => action.tiles[0] ?? 0);
    // Ranks in their order, else tiles.
    const place = (tile: number) => run.view.tiles[tile]?.rank ?? tile;
    const tiles = [...new Set(tileOf)].sort((a, b) => place(a) - place(b));
    const rowOf = new Map(tiles.map((tile, row) => [tile, row]));
    this.rows = tiles.map((tile) => rowName(run, tile));
    this.bars = tileOf.map((tile, action) => ({ action, row: rowOf.get(tile) ?? 0 }));
    const wanted = LOAD_PIXELS + AXIS_PIXELS + this.rows.length * ROW_PIXELS + 4;
    this.canvas.style.height = `${Math.min(Math.max(wanted, 100), MAX_PIXELS)}px`;
  }

  cycleAt(x: number): number {
    const part = (x - LEFT_PIXELS) / (this.canvas.clientWidth - LEFT_PIXELS - RIGHT_PIXELS);
    return Math.min(Math.max(part, 0), 1) * this.maxCycles;
  }

  /** The action at a point of the canvas. */
  at(x: number, y: number): Selected {
    const row = Math.floor((y - LOAD_PIXELS - AXIS_PIXELS) / this.rowPixels());
    const cycle = this.cycleAt(x);
    const slack = this.maxCycles / this.canvas.clientWidth;
    const found = this.bars.find((bar) => {
      const action = this.run.view.actions[bar.action]!;
      const finish = action.finish_cycle ?? this.run.duration;
      return bar.row === row && cycle >= action.start_cycle - slack && cycle <= finish + slack;
    });
    return found === undefined ? null : { action: found.action };
  }

  draw(cycle: number, selected: Selected): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    const state = JSON.stringify([width, height, ratio, palette().ink, selected]);
    if (state !== this.drawn) {
      this.drawn = state;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.drawChart(ratio, selected);
    }
    this.shown.setTransform(1, 0, 0, 1, 0, 0);
    this.shown.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.canvas.width > 0 && this.canvas.height > 0) this.shown.drawImage(this.context.canvas, 0, 0);
    this.shown.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { accent } = palette();
    vertical(this.shown, this.x(Math.min(cycle, this.maxCycles)), height, accent, 2);
  }

  private drawChart(ratio: number, selected: Selected): void {
    this.context.canvas.width = this.canvas.width;
    this.context.canvas.height = this.canvas.height;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = "12px system-ui, sans-serif";
    this.drawLoads();
    this.drawBlocked();
    this.drawAxis();
    this.drawBars(selected);
    this.drawBound();
  }

  private x(cycle: number): number {
    return LEFT_PIXELS + (cycle / this.maxCycles) * (this.canvas.clientWidth - LEFT_PIXELS - RIGHT_PIXELS);
  }

  private rowPixels(): number {
    const space = this.canvas.clientHeight - LOAD_PIXELS - AXIS_PIXELS - 4;
    return Math.min(space / Math.max(this.rows.length, 1), ROW_PIXELS);
  }

  /** Flits per cycle, planes stacked; a pixel shows the mean of its windows. */
  private drawLoads(): void {
    const { window_cycles, num_windows } = this.run.view.trace;
    const pixels = Math.max(Math.floor(this.x(this.run.duration) - LEFT_PIXELS), 1);
    const stacks = this.run.flitsByPlane.map(() => new Float64Array(pixels));
    this.run.flitsByPlane.forEach((flits, plane) => {
      for (let pixel = 0; pixel < pixels; pixel++) {
        const first = this.run.windowOf((pixel / pixels) * this.run.duration);
        const last = Math.max(this.run.windowOf(((pixel + 1) / pixels) * this.run.duration), first + 1);
        let sum = 0;
        for (let w = first; w < last && w < num_windows; w++) sum += flits[w]!;
        stacks[plane]![pixel] = sum / (last - first) / window_cycles;
      }
    });
    const top = Math.max(...Array.from({ length: pixels }, (_, p) => stacks.reduce((s, stack) => s + stack[p]!, 0)), 1);
    const below = new Float64Array(pixels);
    stacks.forEach((stack, plane) => {
      this.context.fillStyle = ofPlane(this.run.planes[plane]!);
      for (let pixel = 0; pixel < pixels; pixel++) {
        const [from, part] = [below[pixel]! / top, stack[pixel]! / top];
        this.context.fillRect(LEFT_PIXELS + pixel, LOAD_PIXELS - (LOAD_PIXELS - TOP_PIXELS) * (from + part), 1, (LOAD_PIXELS - TOP_PIXELS) * part);
        below[pixel]! += stack[pixel]!;
      }
    });
    this.context.fillStyle = palette().faint;
    this.context.textAlign = "right";
    this.context.textBaseline = "top";
    const notation = top < 10_000 ? "standard" : "compact";
    this.context.fillText(`${Math.round(top).toLocaleString("en", { notation })} flits`, LEFT_PIXELS - 6, TOP_PIXELS);
    this.context.fillText("per cycle", LEFT_PIXELS - 6, TOP_PIXELS + 14);
  }

  /** Blocked ports of a recording as a line, up to as many as are ever blocked at once. */
  private drawBlocked(): void {
    const { recording, trace } = this.run.view;
    if (recording === undefined || !recording.hasPorts) return;
    const most = Math.max(...recording.perWindow, 1);
    this.context.strokeStyle = palette().ink;
    this.context.lineWidth = 1.5;
    this.context.beginPath();
    recording.perWindow.forEach((cycles, window) => {
      const y = LOAD_PIXELS - (LOAD_PIXELS - TOP_PIXELS) * (cycles / most);
      this.context.lineTo(this.x(window * trace.window_cycles), y);
      this.context.lineTo(this.x((window + 1) * trace.window_cycles), y);
    });
    this.context.stroke();
    this.context.fillStyle = palette().ink;
    this.context.textAlign = "right";
    this.context.textBaseline = "top";
    const ports = Math.round(most / trace.window_cycles).toLocaleString("en");
    this.context.fillText(`line: blocked ports, up to ${ports}`, this.canvas.clientWidth - RIGHT_PIXELS, 2);
  }

  private drawAxis(): void {
    const y = LOAD_PIXELS;
    const colours = palette();
    this.context.strokeStyle = colours.faint;
    this.context.lineWidth = 1;
    this.context.beginPath();
    this.context.moveTo(LEFT_PIXELS, y + 0.5);
    this.context.lineTo(this.canvas.clientWidth - RIGHT_PIXELS, y + 0.5);
    this.context.stroke();
    this.context.fillStyle = colours.faint;
    this.context.textBaseline = "top";
    this.context.textAlign = "center";
    const step = niceStep(this.maxCycles / Math.max(this.canvas.clientWidth / 110, 2));
    for (let cycle = 0; cycle <= this.maxCycles; cycle += step) {
      this.context.fillText(cycle.toLocaleString("en"), this.x(cycle), y + 4);
    }
    this.context.textAlign = "right";
    this.context.fillText("cycle", LEFT_PIXELS - 6, y + 4);
  }

  private drawBars(selected: Selected): void {
    const pixels = this.rowPixels();
    const top = LOAD_PIXELS + AXIS_PIXELS;
    const chosen = selected !== null && "action" in selected ? selected.action : -1;
    for (const { action: index, row } of this.bars) {
      const action = this.run.view.actions[index]!;
      const [start, finish] = [this.x(action.start_cycle), this.x(action.finish_cycle ?? this.run.duration)];
      this.context.globalAlpha = action.finish_cycle === null ? 0.4 : 0.85;
      this.context.fillStyle = index === chosen ? palette().accent : ofKind(this.run.kinds.indexOf(action.kind));
      const height = Math.max(pixels * 0.72, 1);
      this.context.fillRect(start, top + row * pixels, Math.max(finish - start, 1.5), height);
    }
    this.context.globalAlpha = 1;
    if (pixels < 9) return;
    this.context.font = `${Math.min(pixels, 12)}px system-ui, sans-serif`;
    this.context.fillStyle = palette().faint;
    this.context.textAlign = "right";
    this.context.textBaseline = "middle";
    this.rows.forEach((name, row) => this.context.fillText(name, LEFT_PIXELS - 6, top + (row + 0.36) * pixels));
  }

  /** Where a run that reaches the lower bound would end. */
  private drawBound(): void {
    if (this.run.boundCycle === null) return;
    const bound = this.x(this.run.boundCycle);
    const { bound: green } = palette();
    const height = this.canvas.clientHeight;
    this.context.setLineDash([5, 4]);
    vertical(this.context, bound, height, green, 1.5);
    this.context.setLineDash([]);
    this.context.fillStyle = green;
    this.context.font = "12px system-ui, sans-serif";
    this.context.textBaseline = "top";
    const isRight = bound > this.canvas.clientWidth - 110;
    this.context.textAlign = isRight ? "right" : "left";
    this.context.fillText("lower bound", bound + (isRight ? -4 : 4), 2);
  }
}

/** A rank, or a tile. */
function rowName(run: Run, tile: number): string {
  const found = run.view.tiles[tile];
  return found?.rank === undefined ? (found?.name ?? String(tile)) : `rank ${found.rank}`;
}

function vertical(to: CanvasRenderingContext2D, x: number, height: number, colour: string, width: number): void {
  to.strokeStyle = colour;
  to.lineWidth = width;
  to.beginPath();
  to.moveTo(x, 0);
  to.lineTo(x, height);
  to.stroke();
}

/** 1, 2 or 5 times a power of ten, at least one cycle. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) ?? 10 * power;
}
