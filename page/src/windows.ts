// SPDX-License-Identifier: Apache-2.0
/** Windows of a recorded run: base64 of LEB128 numbers, as noccl-studies/src/recording/link_trace.rs writes them. */

import type { Trace } from "./view.ts";

/** Entries of all windows, one after the other. */
export interface Windows {
  /** Where the entries of a window begin; one more than there are windows. */
  first: Uint32Array;
  link: Uint32Array;
  flits: Uint32Array;
}

/** Throws what is wrong with them. */
export const readWindows = (trace: Trace): Windows => readEntries(trace.windows, trace.num_windows, trace.links.length);

/** Entries of so many windows, whose indices are below `num_rows`. */
export function readEntries(windows: string, num_windows: number, num_rows: number): Windows {
  const bytes = Uint8Array.from(atob(windows), (letter) => letter.charCodeAt(0));
  let at = 0;
  const number = (): number => {
    let read = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("not a recorded run: its windows are cut short");
      read += (byte & 0x7f) * factor;
      if (byte < 0x80) return read;
    }
  };
  const first = new Uint32Array(num_windows + 1);
  const link: number[] = [];
  const flits: number[] = [];
  for (let w = 0; w < num_windows; w++) {
    let index = 0;
    for (let entries = number(); entries > 0; entries--) {
      index += number();
      if (index >= num_rows) throw new Error("not a recorded run: a window names a link or a port that does not exist");
      link.push(index);
      flits.push(number());
    }
    first[w + 1] = link.length;
  }
  return { first, link: Uint32Array.from(link), flits: Uint32Array.from(flits) };
}
