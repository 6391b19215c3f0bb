// SPDX-License-Identifier: Apache-2.0
// A run on 1024x1024 tiles as the page reads it; made up, since such a recording takes minutes: every link to the East carries a flit
// in one of 64 cycles, a diagonal wave; of every 32nd row one in each of 16 cycles.

/** LEB128, as crates/noccl-studies/src/view/link_trace.rs. */
function leb128(number, to) {
  for (; number >= 0x80; number = Math.floor(number / 128)) to.push((number & 0x7f) | 0x80);
  to.push(number);
}

/** First cycle in which the busy rows are busy. */
const BUSY = 20;

export function madeUpRun(base, side = 1024, num_windows = 64) {
  const tiles = [];
  const links = [];
  const ofWindow = Array.from({ length: num_windows }, () => []);
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++) {
      tiles.push({ at: [x, y], name: `${x},${y}`, is_memory: false, is_member: true });
      if (x + 1 === side) continue;
      ofWindow[Math.floor(((x + y) * num_windows) / (2 * side))].push(links.length);
      if (y % 32 === 0) for (let w = BUSY; w < BUSY + 16; w++) if (ofWindow[w].at(-1) !== links.length) ofWindow[w].push(links.length);
      links.push({ plane: "wide", from: [x, y], to: [x + 1, y], flits: 1 });
    }
  }
  const bytes = [];
  let text = "";
  for (const entries of ofWindow) {
    leb128(entries.length, bytes);
    let before = 0;
    for (const link of entries) {
      leb128(link - before, bytes);
      leb128(1, bytes);
      before = link;
    }
    text += bytes.splice(0).map((byte) => String.fromCharCode(byte)).join("");
  }
  const trace = { window_cycles: 1, num_windows, links, windows: btoa(text) };
  const actions = [{ kind: "transfer", tiles: [0], start_cycle: 0, finish_cycle: num_windows }];
  return { ...base, network: `made up, ${side}x${side}`, mesh: [side, side], tiles, trace, actions, cycles: num_windows };
}
