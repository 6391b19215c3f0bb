// SPDX-License-Identifier: Apache-2.0
/** A run prepared for drawing: links by plane, sums over windows. */

import { type View, duration } from "./view.ts";
import { type Windows, readWindows } from "./windows.ts";

/** Windows over which the shade of a link, or of a router, is averaged. */
const SHADE_WINDOWS = 16;

interface TileLinks {
  arriving: number[];
  leaving: number[];
}

export class Run {
  readonly duration: number;
  readonly planes: string[];
  /** Flits per plane and window. */
  readonly flitsByPlane: Float64Array[];
  /** First start of an action: from here the lower bound counts. */
  readonly start: number;
  /** Kinds of actions in order of appearance. */
  readonly kinds: string[];
  readonly planeOfLink: Uint8Array;
  private readonly windows: Windows;
  private readonly shade: Float32Array;
  private shadeWindow = -1;
  /** Links by plane and mesh coordinate; made when first asked for. */
  private atTiles: Map<string, TileLinks> | null = null;

  constructor(readonly view: View) {
    const { links, num_windows } = view.trace;
    this.windows = readWindows(view.trace);
    this.duration = duration(view);
    this.planes = [...new Set(links.map((link) => link.plane))];
    this.planeOfLink = Uint8Array.from(links, (link) => this.planes.indexOf(link.plane));
    this.flitsByPlane = this.planes.map(() => new Float64Array(num_windows));
    for (let w = 0; w < num_windows; w++) {
      this.each(w, (link, flits) => {
        this.flitsByPlane[this.planeOfLink[link]!]![w]! += flits;
      });
    }
    const starts = view.actions.filter((action) => action.kind !== "barrier").map((action) => action.start_cycle);
    this.start = starts.reduce((a, b) => Math.min(a, b), starts[0] ?? 0);
    this.kinds = [...new Set(view.actions.map((action) => action.kind))];
    this.shade = new Float32Array(links.length);
  }

  /** After the last window nothing moves. */
  windowOf(cycle: number): number {
    return Math.floor(cycle / this.view.trace.window_cycles);
  }

  /** Links with flits in a window. */
  each(window: number, visit: (link: number, flits: number) => void): void {
    const { first, link, flits } = this.windows;
    for (let entry = first[window]!, end = first[window + 1] ?? 0; entry < end; entry++) visit(link[entry]!, flits[entry]!);
  }

  /** Links of a plane at a tile. */
  linksOf(at: [number, number], plane: number): TileLinks {
    this.atTiles ??= this.sortedLinks();
    return this.atTiles.get(`${at} ${plane}`) ?? { arriving: [], leaving: [] };
  }

  private sortedLinks(): Map<string, TileLinks> {
    const sorted = new Map<string, TileLinks>();
    const links = (at: [number, number], plane: number) => {
      const key = `${at} ${plane}`;
      const found = sorted.get(key) ?? { arriving: [], leaving: [] };
      sorted.set(key, found);
      return found;
    };
    this.view.trace.links.forEach((link, index) => {
      links(link.from, this.planeOfLink[index]!).leaving.push(index);
      links(link.to, this.planeOfLink[index]!).arriving.push(index);
    });
    return sorted;
  }

  /** Cycle in which a run that reaches the lower bound would end, if there is a bound. */
  get boundCycle(): number | null {
    const { lower_bound_cycles } = this.view;
    return lower_bound_cycles === null || this.view.stall !== null ? null : this.start + lower_bound_cycles;
  }

  /** Tiles whose routers block flits, and for which part of the same windows; none without a recording. */
  blocked(cycle: number): [[number, number], number][] {
    const last = this.windowOf(cycle);
    return this.view.recording?.shades(Math.max(0, last - SHADE_WINDOWS + 1), last) ?? [];
  }

  /** Flits per cycle of every link, averaged over the windows up to a cycle. */
  shades(cycle: number): Float32Array {
    const last = this.windowOf(cycle);
    if (last !== this.shadeWindow) {
      this.shade.fill(0);
      const first = Math.max(0, last - SHADE_WINDOWS + 1);
      const cycles = (last - first + 1) * this.view.trace.window_cycles;
      for (let w = first; w <= last; w++) {
        this.each(w, (link, flits) => {
          this.shade[link]! += flits / cycles;
        });
      }
      this.shadeWindow = last;
    }
    return this.shade;
  }
}
