// SPDX-License-Identifier: Apache-2.0
/** The mesh: tiles, links shaded by their load, flits on their way. Far out a tile is a pixel of an image. */

import { ofPlane, palette } from "./colours.ts";
import { FarImage } from "./far_image.ts";
import type { Run } from "./run.ts";
import { drawWaits, waitingTiles } from "./waits.ts";

/** With fewer pixels per tile nothing but its load can be seen. */
const CLOSE_PIXELS = 16;
/** Width of a tile's square, of the distance between tiles. */
const TILE_PART = 0.42;
/** With as many pixels a tile says how many flits cross its links. */
const COUNT_PIXELS = 120;
/** A pointer is on a link within this many pixels. */
const NEAR_PIXELS = 7;
/** Links of one plane and one shade are one path, however many they are. */
const SHADES = 8;

export type Selected = { link: number } | { tile: number } | { action: number } | null;

/** Where the mesh is on its canvas: pixels per tile, the south-west corner. */
interface Camera {
  cell: number;
  left: number;
  bottom: number;
}

export class Mesh {
  private readonly context: CanvasRenderingContext2D;
  /** What does not change while time passes: tiles, their names, links without their load. */
  private readonly still = document.createElement("canvas").getContext("2d")!;
  private stillState = "";
  private readonly far: FarImage;
  private camera: Camera = { cell: 1, left: 0, bottom: 0 };
  private zoom = 1;
  private pan: [number, number] = [0, 0];
  /** Ends of every link, x0 y0 x1 y1, and the links in sight. */
  private readonly ends: Float32Array;
  private visible: number[] = [];
  private readonly waits: [number, number][];

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly run: Run,
  ) {
    this.context = canvas.getContext("2d")!;
    this.far = new FarImage(run);
    this.waits = waitingTiles(run.view);
    this.ends = new Float32Array(4 * run.view.trace.links.length);
  }

  /** Zooms around a point of the canvas, in CSS pixels. */
  zoomBy(factor: number, x: number, y: number): void {
    const before = this.zoom;
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), 400);
    const scale = this.zoom / before;
    const { clientWidth, clientHeight } = this.canvas;
    this.pan = [
      (this.pan[0] + clientWidth / 2 - x) * scale + x - clientWidth / 2,
      (this.pan[1] + clientHeight / 2 - y) * scale + y - clientHeight / 2,
    ];
    if (this.zoom === 1) this.pan = [0, 0];
  }

  panBy(dx: number, dy: number): void {
    if (this.zoom > 1) this.pan = [this.pan[0] + dx, this.pan[1] + dy];
  }

  draw(cycle: number, planes: Set<string>, selected: Selected): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const [columns, rows] = this.run.view.mesh;
    const cell = Math.min((width - 16) / columns, (height - 16) / rows) * this.zoom;
    this.camera = { cell, left: (width - columns * cell) / 2 + this.pan[0], bottom: (height + rows * cell) / 2 + this.pan[1] };
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (cell >= CLOSE_PIXELS) this.drawClose(cycle, planes, selected, ratio);
    else this.drawFar(cycle, planes, selected, ratio);
  }

  /** What is at a point of the canvas. */
  at(x: number, y: number, planes: Set<string>): Selected {
    const { cell, left, bottom } = this.camera;
    if (cell >= CLOSE_PIXELS) {
      let best = NEAR_PIXELS;
      let found = -1;
      for (const link of this.visible) {
        if (!planes.has(this.run.view.trace.links[link]!.plane)) continue;
        const distance = this.distance(x, y, link);
        if (distance < best) [best, found] = [distance, link];
      }
      if (found >= 0) return { link: found };
    }
    const column = Math.floor((x - left) / cell);
    const row = Math.floor((bottom - y) / cell);
    const tile = this.run.view.tiles.findIndex((t) => t.at[0] === column && t.at[1] === row);
    return tile >= 0 ? { tile } : null;
  }

  private drawFar(cycle: number, planes: Set<string>, selected: Selected, ratio: number): void {
    const { cell, left, bottom } = this.camera;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.far.draw(this.context, cycle, planes, { cell, left, bottom, ratio });
    const tiles = this.chosenTiles(selected).map((tile) => this.run.view.tiles[tile]!.at);
    this.context.strokeStyle = palette().accent;
    this.context.lineWidth = 2;
    // A tile of less than a pixel has a mark of six.
    const size = Math.max(cell, 6);
    for (const at of tiles) {
      const [x, y] = this.centre(at);
      this.context.strokeRect(x - size / 2, y - size / 2, size, size);
    }
  }

  private drawClose(cycle: number, planes: Set<string>, selected: Selected, ratio: number): void {
    const { width, height } = this.canvas;
    const { cell } = this.camera;
    const state = JSON.stringify([width, height, this.camera, palette().ink, selected, [...planes]]);
    if (state !== this.stillState) {
      this.stillState = state;
      this.still.canvas.width = width;
      this.still.canvas.height = height;
      this.still.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.place();
      this.drawTiles(selected);
      this.drawIdle(planes, selected);
    }
    this.context.drawImage(this.still.canvas, 0, 0);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLoads(cycle, planes);
    this.drawBlocked(cycle);
    if (this.run.view.trace.window_cycles === 1) this.drawFlits(cycle, planes);
    if (cell >= COUNT_PIXELS) this.drawCounts(cycle, planes);
    if (cycle <= (this.run.view.stall?.last_progress_cycle ?? cycle)) return;
    drawWaits(this.context, this.waits, (tile) => this.centre(this.run.view.tiles[tile]!.at), cell * TILE_PART);
  }

  private centre(at: [number, number]): [number, number] {
    const { cell, left, bottom } = this.camera;
    return [left + (at[0] + 0.5) * cell, bottom - (at[1] + 0.5) * cell];
  }

  private isVisible(x: number, y: number): boolean {
    const { cell } = this.camera;
    return x > -cell && y > -cell && x < this.canvas.clientWidth + cell && y < this.canvas.clientHeight + cell;
  }

  /** Ends of all links: lanes of planes and directions lie next to each other. */
  private place(): void {
    const { cell } = this.camera;
    const margin = cell * 0.22;
    this.visible = [];
    this.run.view.trace.links.forEach((link, index) => {
      const [x0, y0] = this.centre(link.from);
      const [x1, y1] = this.centre(link.to);
      const length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      const lane = (this.run.planeOfLink[index]! + 0.6) * Math.min(cell * 0.07, 9);
      const [dx, dy] = [-uy * lane, ux * lane];
      this.ends.set([x0 + ux * margin + dx, y0 + uy * margin + dy, x1 - ux * margin + dx, y1 - uy * margin + dy], 4 * index);
      if (this.isVisible((x0 + x1) / 2, (y0 + y1) / 2)) this.visible.push(index);
    });
  }

  private distance(x: number, y: number, link: number): number {
    const [x0, y0, x1, y1] = this.ends.subarray(4 * link, 4 * link + 4) as unknown as [number, number, number, number];
    const squared = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
    const along = Math.min(Math.max(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / squared, 0), 1);
    return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
  }

  private chosenTiles(selected: Selected): number[] {
    if (selected === null || "link" in selected) return [];
    return "tile" in selected ? [selected.tile] : (this.run.view.actions[selected.action]?.tiles ?? []);
  }

  private drawTiles(selected: Selected): void {
    const colours = palette();
    const { cell } = this.camera;
    const size = cell * TILE_PART;
    const chosen = new Set(this.chosenTiles(selected));
    this.still.textAlign = "center";
    this.still.textBaseline = "middle";
    this.drawGrid(colours.line);
    this.run.view.tiles.forEach((tile, index) => {
      const [x, y] = this.centre(tile.at);
      if (!this.isVisible(x, y)) return;
      this.still.fillStyle = tile.is_memory ? colours.memory : tile.is_member ? colours.member : colours.tile;
      this.still.beginPath();
      this.still.roundRect(x - size / 2, y - size / 2, size, size, tile.is_memory ? 2 : size * 0.2);
      this.still.fill();
      this.still.strokeStyle = chosen.has(index) ? colours.accent : colours.line;
      this.still.lineWidth = chosen.has(index) ? 2.5 : 1;
      this.still.stroke();
      this.drawName(tile.name.replace("mem:", "m"), x, y, size);
    });
  }

  /** The name of a tile, short for a memory; close up above its counts. */
  private drawName(name: string, x: number, y: number, size: number): void {
    const { cell } = this.camera;
    if (cell < 44) return;
    const pixels = Math.min(Math.max(cell * 0.15, 9), 15);
    this.still.font = `${pixels}px system-ui, sans-serif`;
    this.still.fillStyle = palette().ink;
    this.still.fillText(name, x, cell < COUNT_PIXELS ? y : y - size * 0.34);
  }

  /** Routers with their neighbours, where no flit has crossed a link too. */
  private drawGrid(colour: string): void {
    const [columns, rows] = this.run.view.mesh;
    this.still.strokeStyle = colour;
    this.still.lineWidth = 1;
    this.still.beginPath();
    const line = (from: [number, number], to: [number, number]) => {
      this.still.moveTo(...this.centre(from));
      this.still.lineTo(...this.centre(to));
    };
    for (let x = 0; x < columns; x++) line([x, 0], [x, rows - 1]);
    for (let y = 0; y < rows; y++) line([0, y], [columns - 1, y]);
    this.still.stroke();
  }

  private linkPixels(): number {
    return Math.min(Math.max(this.camera.cell * 0.03, 1), 4);
  }

  private drawIdle(planes: Set<string>, selected: Selected): void {
    const { links } = this.run.view.trace;
    this.still.beginPath();
    for (const link of this.visible) if (planes.has(links[link]!.plane)) this.trace(this.still, link);
    this.still.strokeStyle = palette().line;
    this.still.lineWidth = this.linkPixels();
    this.still.stroke();
    if (selected === null || !("link" in selected) || this.ends.length <= 4 * selected.link) return;
    this.still.beginPath();
    this.trace(this.still, selected.link);
    this.still.strokeStyle = palette().accent;
    this.still.globalAlpha = 0.5;
    this.still.lineWidth = this.linkPixels() + 6;
    this.still.stroke();
    this.still.globalAlpha = 1;
  }

  private trace(to: CanvasRenderingContext2D, link: number): void {
    to.moveTo(this.ends[4 * link]!, this.ends[4 * link + 1]!);
    to.lineTo(this.ends[4 * link + 2]!, this.ends[4 * link + 3]!);
  }

  private drawLoads(cycle: number, planes: Set<string>): void {
    const shades = this.run.shades(cycle);
    const paths = this.run.planes.map(() => Array.from({ length: SHADES }, (): number[] => []));
    for (const link of this.visible) {
      const shade = Math.ceil(Math.min(shades[link]!, 1) * SHADES);
      if (shade > 0) paths[this.run.planeOfLink[link]!]![shade - 1]!.push(link);
    }
    paths.forEach((ofShades, plane) => {
      if (!planes.has(this.run.planes[plane]!)) return;
      this.context.strokeStyle = ofPlane(this.run.planes[plane]!);
      ofShades.forEach((links, index) => {
        if (links.length === 0) return;
        const shade = (index + 1) / SHADES;
        this.context.globalAlpha = 0.15 + 0.75 * shade;
        this.context.lineWidth = this.linkPixels() * (1 + shade);
        this.context.beginPath();
        for (const link of links) this.trace(this.context, link);
        this.context.stroke();
      });
    });
    this.context.globalAlpha = 1;
  }

  /** Routers in which flits wait: the stronger the outline, the more of the time. */
  private drawBlocked(cycle: number): void {
    const size = this.camera.cell * (TILE_PART + 0.1);
    this.context.strokeStyle = palette().ink;
    this.context.lineWidth = Math.min(Math.max(this.camera.cell * 0.04, 1.5), 4);
    for (const [at, part] of this.run.blocked(cycle)) {
      const [x, y] = this.centre(at);
      this.context.globalAlpha = Math.min(part, 1);
      this.context.strokeRect(x - size / 2, y - size / 2, size, size);
    }
    this.context.globalAlpha = 1;
  }

  /** A flit crosses its link within a cycle. */
  private drawFlits(cycle: number, planes: Set<string>): void {
    const along = cycle - Math.floor(cycle);
    const radius = Math.min(Math.max(this.camera.cell * 0.035, 2), 6);
    this.run.planes.forEach((plane, index) => {
      if (!planes.has(plane)) return;
      this.context.fillStyle = ofPlane(plane);
      this.context.beginPath();
      this.run.each(this.run.windowOf(cycle), (link) => {
        if (this.run.planeOfLink[link] !== index) return;
        const [x0, y0, x1, y1] = this.ends.subarray(4 * link, 4 * link + 4) as unknown as [number, number, number, number];
        const [x, y] = [x0 + (x1 - x0) * along, y0 + (y1 - y0) * along];
        this.context.moveTo(x + radius, y);
        this.context.arc(x, y, radius, 0, 2 * Math.PI);
      });
      this.context.fill();
    });
  }

  /** Flits per cycle into and out of a tile over its links: more go out where it copies, fewer where it adds. */
  private drawCounts(cycle: number, planes: Set<string>): void {
    const shades = this.run.shades(cycle);
    const size = this.camera.cell * TILE_PART;
    const pixels = Math.min(size * 0.17, 15);
    this.context.font = `${pixels}px system-ui, sans-serif`;
    this.context.textAlign = "center";
    this.context.textBaseline = "middle";
    for (const tile of this.run.view.tiles) {
      const [x, y] = this.centre(tile.at);
      if (!this.isVisible(x, y)) continue;
      this.run.planes.forEach((plane, index) => {
        const { arriving, leaving } = this.run.linksOf(tile.at, index);
        const sum = (links: number[]) => links.reduce((total, link) => total + shades[link]!, 0);
        const [into, out] = [sum(arriving), sum(leaving)];
        if (!planes.has(plane) || into + out === 0) return;
        this.context.fillStyle = ofPlane(plane);
        this.context.fillText(`${into.toFixed(1)} → ${out.toFixed(1)}`, x, y - size * 0.1 + index * pixels * 1.25);
      });
    }
  }
}
