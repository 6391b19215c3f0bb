// SPDX-License-Identifier: Apache-2.0
/** A run prepared for drawing: links by plane, sums over windows. */

import { type View, duration } from "./view.ts";
import { type Windows, readWindows } from "./windows.ts";

/** Windows over which the shade of a link is averaged. */
const SHADE_WINDOWS = 16;

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

  windowOf(cycle: number): number {
    return Math.min(Math.floor(cycle / this.view.trace.window_cycles), this.view.trace.num_windows - 1);
  }

  /** Links with flits in a window. */
  each(window: number, visit: (link: number, flits: number) => void): void {
    const { first, link, flits } = this.windows;
    const end = first[window + 1] ?? 0;
    for (let entry = first[window] ?? end; entry < end; entry++) visit(link[entry]!, flits[entry]!);
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
