// SPDX-License-Identifier: Apache-2.0
/** Who waits for whom in a run that was given up: in words, and as arrows between tiles. */

import { palette } from "./colours.ts";
import type { View } from "./view.ts";

/** A tile in the words of a diagnosis; the last one of a text is where something is. */
const PLACE = /cluster \((\d+),(\d+)\)|(mem:\d+)/g;
const HEAD_PIXELS = 9;

/** Tiles of the waiters and of what they wait for. */
export function waitingTiles(view: View): [number, number][] {
  const indices = new Map(view.tiles.map((tile, index) => [tile.name, index]));
  const tile = (text: string) => {
    const last = [...text.matchAll(PLACE)].at(-1);
    return last === undefined ? undefined : indices.get(last[3] ?? `${last[1]},${last[2]}`);
  };
  const pairs = (view.stall?.waits ?? []).map((wait) => [tile(wait.waiter), tile(wait.awaited)]);
  return pairs.filter((pair): pair is [number, number] => pair.every((index) => index !== undefined));
}

/** Arrows from waiters to what they wait for; at one tile its outline. */
export function drawWaits(
  to: CanvasRenderingContext2D,
  waits: [number, number][],
  centre: (tile: number) => [number, number],
  size: number,
): void {
  const { accent } = palette();
  to.strokeStyle = accent;
  to.fillStyle = accent;
  to.lineWidth = 2.5;
  for (const [waiter, awaited] of waits) {
    const [[x0, y0], [x1, y1]] = [centre(waiter), centre(awaited)];
    if (waiter === awaited) to.strokeRect(x0 - size / 2, y0 - size / 2, size, size);
    else drawArrow(to, x0, y0, x1, y1, size);
  }
}

/** Bent to its left, so that two that wait for each other are two arrows. */
function drawArrow(to: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, size: number): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const [side, gap] = [size, size * 0.3];
  const start = [x0 + uy * gap + (ux * size) / 2, y0 - ux * gap + (uy * size) / 2] as const;
  const end = [x1 + uy * gap - (ux * size) / 2, y1 - ux * gap - (uy * size) / 2] as const;
  const bend = [(x0 + x1) / 2 + uy * side, (y0 + y1) / 2 - ux * side] as const;
  to.beginPath();
  to.moveTo(...start);
  to.quadraticCurveTo(...bend, ...end);
  to.stroke();
  const along = Math.atan2(end[1] - bend[1], end[0] - bend[0]);
  to.beginPath();
  to.moveTo(...end);
  for (const turn of [-0.45, 0.45]) {
    to.lineTo(end[0] - HEAD_PIXELS * Math.cos(along + turn), end[1] - HEAD_PIXELS * Math.sin(along + turn));
  }
  to.fill();
}

/** The waits of a run that was given up, as a table. */
export function waitsTable(view: View): HTMLElement {
  const section = document.createElement("section");
  const title = document.createElement("h2");
  title.textContent = `Who waits for whom; the last movement was in cycle ${view.stall!.last_progress_cycle}`;
  const table = document.createElement("table");
  table.className = "waits";
  const row = (tag: "th" | "td", cells: string[]) => {
    const line = table.insertRow();
    for (const text of cells) {
      const cell = document.createElement(tag);
      cell.textContent = text;
      line.append(cell);
    }
  };
  row("th", ["waits", "for", "at", "since cycle"]);
  for (const wait of view.stall!.waits) row("td", [wait.waiter, wait.awaited, wait.place, String(wait.since_cycle)]);
  section.append(title, table);
  return section;
}
