// SPDX-License-Identifier: Apache-2.0
/** The mesh from afar: a pixel per tile, or per square of tiles if there are more tiles than pixels. */

import { ofPlane, palette } from "./colours.ts";
import type { Run } from "./run.ts";

/** Load of a tile's links, in flits per cycle, from which on its pixel has the full colour. */
const FULL_LOAD = 2;

interface Placed {
  cell: number;
  left: number;
  bottom: number;
  ratio: number;
}

export class FarImage {
  private readonly image = document.createElement("canvas").getContext("2d")!;
  private drawn = "";
  /** Index of the tile that drives a link: row by row. */
  private readonly driver: Uint32Array;
  /** 0: takes no part, 1: member, 2: memory. */
  private readonly kind: Uint8Array;
  private readonly load: Float32Array;

  constructor(private readonly run: Run) {
    const [columns, rows] = run.view.mesh;
    const place = (at: [number, number]) => at[1] * columns + at[0];
    this.driver = Uint32Array.from(run.view.trace.links, (link) => place(link.from));
    this.kind = new Uint8Array(columns * rows);
    for (const tile of run.view.tiles) this.kind[place(tile.at)] = tile.is_memory ? 2 : tile.is_member ? 1 : 0;
    this.load = new Float32Array(columns * rows);
  }

  draw(to: CanvasRenderingContext2D, cycle: number, planes: Set<string>, placed: Placed): void {
    const { cell, left, bottom, ratio } = placed;
    const [columns, rows] = this.run.view.mesh;
    // Tiles of the side of a square that is one pixel.
    const side = Math.max(Math.floor(1 / (cell * ratio)), 1);
    const state = JSON.stringify([this.run.windowOf(cycle), [...planes], side, palette().ink]);
    if (state !== this.drawn) {
      this.drawn = state;
      this.sumLoads(cycle, planes);
      this.paint(side);
    }
    to.imageSmoothingEnabled = false;
    const { width, height } = this.image.canvas;
    to.drawImage(this.image.canvas, left, bottom - height * side * cell, width * side * cell, height * side * cell);
    to.strokeStyle = palette().line;
    to.lineWidth = 1;
    to.strokeRect(left, bottom - rows * cell, columns * cell, rows * cell);
  }

  private sumLoads(cycle: number, planes: Set<string>): void {
    const shades = this.run.shades(cycle);
    const isShown = this.run.planes.map((plane) => planes.has(plane));
    this.load.fill(0);
    for (let link = 0; link < this.driver.length; link++) {
      if (isShown[this.run.planeOfLink[link]!]) this.load[this.driver[link]!]! += shades[link]!;
    }
  }

  /** A square has the colour of its busiest tile, so that no busy tile is lost. */
  private paint(side: number): void {
    const [columns, rows] = this.run.view.mesh;
    const [width, height] = [Math.ceil(columns / side), Math.ceil(rows / side)];
    const most = new Float32Array(width * height);
    const kinds = new Uint8Array(width * height);
    for (let y = 0; y < rows; y++) {
      const line = (height - 1 - Math.floor(y / side)) * width;
      for (let x = 0; x < columns; x++) {
        const [tile, pixel] = [y * columns + x, line + Math.floor(x / side)];
        if (this.load[tile]! > most[pixel]!) most[pixel] = this.load[tile]!;
        if (this.kind[tile]! > kinds[pixel]!) kinds[pixel] = this.kind[tile]!;
      }
    }
    const colours = palette();
    const from = [colours.tile, colours.member, colours.memory].map(rgb);
    const full = rgb(ofPlane("wide"));
    const pixels = new ImageData(width, height);
    for (let pixel = 0; pixel < most.length; pixel++) {
      const part = Math.min(most[pixel]! / FULL_LOAD, 1);
      const base = from[kinds[pixel]!]!;
      for (let c = 0; c < 3; c++) pixels.data[4 * pixel + c] = base[c]! + (full[c]! - base[c]!) * part;
      pixels.data[4 * pixel + 3] = 255;
    }
    this.image.canvas.width = width;
    this.image.canvas.height = height;
    this.image.putImageData(pixels, 0, 0);
  }
}

function rgb(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
