// SPDX-License-Identifier: Apache-2.0
/** The mesh: tiles, links shaded by their load, flits on their way. Far out a tile is a few pixels of an image. */

import { ofPlane, palette } from "./colours.ts";
import type { Run } from "./run.ts";
import type { Link } from "./view.ts";

/** With fewer pixels per tile nothing but its load can be seen. */
const CLOSE_PIXELS = 16;
/** A pointer is on a link within this many pixels. */
const NEAR_PIXELS = 7;

export type Selected = { link: number } | { tile: number } | { action: number } | null;

export class Mesh {
  private readonly context: CanvasRenderingContext2D;
  private readonly image = document.createElement("canvas");
  /** Pixels per tile, and where the mesh's south-west corner is. */
  private cell = 1;
  private left = 0;
  private bottom = 0;
  private zoom = 1;
  private pan: [number, number] = [0, 0];

  constructor(
    readonly canvas: HTMLCanvasElement,
    private run: Run,
  ) {
    this.context = canvas.getContext("2d")!;
  }

  show(run: Run): void {
    this.run = run;
    this.zoom = 1;
    this.pan = [0, 0];
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
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const [columns, rows] = this.run.view.mesh;
    this.cell = Math.min((width - 16) / columns, (height - 16) / rows) * this.zoom;
    this.left = (width - columns * this.cell) / 2 + this.pan[0];
    this.bottom = (height + rows * this.cell) / 2 + this.pan[1];
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    if (this.cell < CLOSE_PIXELS) {
      this.drawImage(cycle, planes);
    } else {
      this.drawTiles(selected);
      this.drawLinks(cycle, planes, selected);
    }
  }

  /** What is at a point of the canvas. */
  at(x: number, y: number, planes: Set<string>): Selected {
    if (this.cell >= CLOSE_PIXELS) {
      let best = NEAR_PIXELS;
      let found = -1;
      this.run.view.trace.links.forEach((link, index) => {
        if (!planes.has(link.plane)) return;
        const distance = this.distance(x, y, link, index);
        if (distance < best) [best, found] = [distance, index];
      });
      if (found >= 0) return { link: found };
    }
    const column = Math.floor((x - this.left) / this.cell);
    const row = Math.floor((this.bottom - y) / this.cell);
    const tile = this.run.view.tiles.findIndex((t) => t.at[0] === column && t.at[1] === row);
    return tile >= 0 ? { tile } : null;
  }

  private centre(at: [number, number]): [number, number] {
    return [this.left + (at[0] + 0.5) * this.cell, this.bottom - (at[1] + 0.5) * this.cell];
  }

  /** Ends of a link: lanes of planes and directions lie next to each other. */
  private ends(link: Link, index: number): [number, number, number, number] {
    const [x0, y0] = this.centre(link.from);
    const [x1, y1] = this.centre(link.to);
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const lane = (this.run.planeOfLink[index]! + 0.6) * Math.min(this.cell * 0.07, 9);
    const margin = this.cell * 0.22;
    return [
      x0 + ux * margin - uy * lane,
      y0 + uy * margin + ux * lane,
      x1 - ux * margin - uy * lane,
      y1 - uy * margin + ux * lane,
    ];
  }

  private distance(x: number, y: number, link: Link, index: number): number {
    const [x0, y0, x1, y1] = this.ends(link, index);
    const squared = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
    const along = Math.min(Math.max(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / squared, 0), 1);
    return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
  }

  private drawTiles(selected: Selected): void {
    const { tiles } = this.run.view;
    const colours = palette();
    const size = this.cell * 0.42;
    const hasNames = this.cell >= 44;
    this.context.textAlign = "center";
    this.context.textBaseline = "middle";
    this.context.font = `${Math.min(Math.max(this.cell * 0.15, 9), 15)}px system-ui, sans-serif`;
    const chosen = selected !== null && "action" in selected ? this.run.view.actions[selected.action]?.tiles : [];
    this.drawGrid(colours.line);
    tiles.forEach((tile, index) => {
      const [x, y] = this.centre(tile.at);
      if (!this.isVisible(x, y)) return;
      this.context.fillStyle = tile.is_memory ? colours.memory : tile.is_member ? colours.member : colours.tile;
      this.context.beginPath();
      this.context.roundRect(x - size / 2, y - size / 2, size, size, tile.is_memory ? 2 : size * 0.2);
      this.context.fill();
      const isSelected = (selected !== null && "tile" in selected && selected.tile === index) || chosen?.includes(index);
      this.context.strokeStyle = isSelected ? colours.accent : colours.line;
      this.context.lineWidth = isSelected ? 2.5 : 1;
      this.context.stroke();
      if (hasNames) {
        this.context.fillStyle = colours.ink;
        this.context.fillText(tile.name, x, y);
      }
    });
  }

  /** Routers with their neighbours, where no flit has crossed a link too. */
  private drawGrid(colour: string): void {
    const [columns, rows] = this.run.view.mesh;
    for (let x = 0; x < columns; x++) this.line(...this.centre([x, 0]), ...this.centre([x, rows - 1]), 1, colour, 0.7);
    for (let y = 0; y < rows; y++) this.line(...this.centre([0, y]), ...this.centre([columns - 1, y]), 1, colour, 0.7);
    this.context.globalAlpha = 1;
  }

  private isVisible(x: number, y: number): boolean {
    const margin = this.cell;
    return x > -margin && y > -margin && x < this.canvas.clientWidth + margin && y < this.canvas.clientHeight + margin;
  }

  private drawLinks(cycle: number, planes: Set<string>, selected: Selected): void {
    const { links, window_cycles } = this.run.view.trace;
    const shades = this.run.shades(cycle);
    const colours = palette();
    const width = Math.min(Math.max(this.cell * 0.03, 1), 4);
    const chosen = selected !== null && "link" in selected ? selected.link : -1;
    links.forEach((link, index) => {
      if (!planes.has(link.plane)) return;
      const [x0, y0, x1, y1] = this.ends(link, index);
      if (!this.isVisible((x0 + x1) / 2, (y0 + y1) / 2)) return;
      this.line(x0, y0, x1, y1, width, colours.line, 1);
      const shade = Math.min(shades[index]!, 1);
      if (shade > 0) this.line(x0, y0, x1, y1, width * (1 + shade), ofPlane(link.plane), 0.15 + 0.75 * shade);
      if (index === chosen) this.line(x0, y0, x1, y1, width + 4, colours.accent, 0.5);
    });
    this.context.globalAlpha = 1;
    if (window_cycles === 1) this.drawFlits(cycle, planes);
  }

  /** A flit crosses its link within a cycle. */
  private drawFlits(cycle: number, planes: Set<string>): void {
    const { links } = this.run.view.trace;
    const along = cycle - Math.floor(cycle);
    const radius = Math.min(Math.max(this.cell * 0.035, 2), 6);
    this.run.each(this.run.windowOf(cycle), (index) => {
      const link = links[index]!;
      if (!planes.has(link.plane)) return;
      const [x0, y0, x1, y1] = this.ends(link, index);
      this.context.fillStyle = ofPlane(link.plane);
      this.context.beginPath();
      this.context.arc(x0 + (x1 - x0) * along, y0 + (y1 - y0) * along, radius, 0, 2 * Math.PI);
      this.context.fill();
    });
  }

  private line(x0: number, y0: number, x1: number, y1: number, width: number, colour: string, alpha: number): void {
    this.context.globalAlpha = alpha;
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.beginPath();
    this.context.moveTo(x0, y0);
    this.context.lineTo(x1, y1);
    this.context.stroke();
  }

  /** One pixel per tile, by the load of the links that it drives. */
  private drawImage(cycle: number, planes: Set<string>): void {
    const [columns, rows] = this.run.view.mesh;
    const shades = this.run.shades(cycle);
    const load = new Float32Array(columns * rows);
    this.run.view.trace.links.forEach((link, index) => {
      if (planes.has(link.plane)) load[link.from[1] * columns + link.from[0]]! += shades[index]!;
    });
    const pixels = new ImageData(columns, rows);
    const [from, to] = [rgb(palette().tile), rgb(ofPlane("wide"))];
    for (let tile = 0; tile < load.length; tile++) {
      const part = Math.min(load[tile]! / 2, 1);
      const pixel = 4 * ((rows - 1 - Math.floor(tile / columns)) * columns + (tile % columns));
      for (let c = 0; c < 3; c++) pixels.data[pixel + c] = from[c]! + (to[c]! - from[c]!) * part;
      pixels.data[pixel + 3] = 255;
    }
    this.image.width = columns;
    this.image.height = rows;
    this.image.getContext("2d")!.putImageData(pixels, 0, 0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(this.image, this.left, this.bottom - rows * this.cell, columns * this.cell, rows * this.cell);
  }
}

function rgb(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
