// SPDX-License-Identifier: Apache-2.0
/** A run as the engine writes it: the Rust types of noccl-studies/src/view. */

import { type Rows, type Waits, isRecording, viewOf } from "./recording.ts";

export const FORMAT = 1;

export interface Request {
  network: string;
  overrides: string[];
  collective: string;
  bytes: string;
  group: string;
  root: string;
  algorithm: string;
  operator: string;
  element: string;
}

export interface Options {
  presets: string[];
  collectives: string[];
  algorithms: string[];
  mesh: [number, number];
}

export interface Tile {
  at: [number, number];
  name: string;
  is_memory: boolean;
  is_member: boolean;
  /** Of a program's recording: the rank on this tile. */
  rank?: number;
}

export interface Action {
  kind: string;
  tiles: number[];
  start_cycle: number;
  finish_cycle: number | null;
  /** What else is known of it. */
  rows?: Rows;
}

export interface Link {
  plane: string;
  from: [number, number];
  to: [number, number];
  flits: number;
}

export interface Trace {
  window_cycles: number;
  num_windows: number;
  links: Link[];
  /** Flits per link and window: see windows.ts. */
  windows: string;
}

export interface Wait {
  waiter: string;
  awaited: string;
  place: string;
  since_cycle: number;
}

export interface View {
  format: number;
  request: Request;
  network: string;
  mesh: [number, number];
  tiles: Tile[];
  group: string;
  root: string;
  algorithm: string;
  cycles: number | null;
  last_event_cycle: number;
  clock_ghz: number;
  /** None of a schedule that claims no collective. */
  lower_bound_cycles: number | null;
  verified: "yes" | "no" | "not_checked";
  counters: Record<string, number>;
  energy_pj: number | null;
  actions: Action[];
  trace: Trace;
  stall: { cycle: number; last_progress_cycle: number; summary: string; waits: Wait[] } | null;
  /** Waits of a recording; other runs have none. */
  recording?: Waits;
}

const STALL_CYCLES = 16;

export const DEFAULT: Request = {
  network: "collective_noc_4x4",
  overrides: [],
  collective: "all_reduce",
  bytes: "32KiB",
  group: "all",
  root: "",
  algorithm: "auto",
  operator: "sum",
  element: "fp64",
};

const ACCEPTED = "accepted: the output of noccl view --json, or of noccl run --record";

/** Does a text begin as the file of a recording? The engine reads those, and says what is wrong with them. */
export const isRecordingText = (text: string): boolean =>
  /^\s*\{/.test(text) && /"(recording|traceEvents|displayTimeUnit)"/.test(text.slice(0, 200));

/** Runs from a file. Throws what is wrong with it and what would be accepted. */
export function readViews(text: string): View[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`not a recorded run: ${(error as Error).message}; ${ACCEPTED}`);
  }
  const views = Array.isArray(read) ? read : [read];
  if (views.length === 0) throw new Error(`no recorded run; ${ACCEPTED}`);
  return views.map((one) => (isRecording(one) ? viewOf(one.recording) : checked(one)));
}

function checked(read: unknown): View {
  const view = read as Partial<View> | null;
  if (view === null || typeof view !== "object" || view.format === undefined) {
    throw new Error(`not a recorded run: no field format; ${ACCEPTED}`);
  }
  if (view.format !== FORMAT) {
    throw new Error(`format ${String(view.format)}: this page reads format ${FORMAT}; accepted: a run of the same version of noccl`);
  }
  const lists = [view.tiles, view.actions, view.trace?.links, view.mesh];
  if (!lists.every(Array.isArray) || typeof view.trace?.windows !== "string") {
    throw new Error(`not a recorded run: tiles, actions, mesh or trace are missing; ${ACCEPTED}`);
  }
  return view as View;
}

/** Cycles from the first cycle to the end of the last window. */
export function duration(view: View): number {
  // A run that was given up moves no more long before; a few cycles show that.
  if (view.stall !== null) return view.stall.last_progress_cycle + STALL_CYCLES;
  return Math.max(view.last_event_cycle, view.trace.num_windows * view.trace.window_cycles, 1);
}

/** One line of text about a run. */
export function summary(view: View): string {
  if (view.cycles === null) {
    return `${view.algorithm}: ${view.stall?.summary ?? "given up"}`;
  }
  const time = (view.cycles / view.clock_ghz / 1000).toPrecision(3);
  if (view.recording !== undefined) return `${view.algorithm}: ${view.cycles.toLocaleString("en")} cycles (${time} µs at ${view.clock_ghz} GHz)`;
  const checked = { yes: "outputs compared: right", no: "outputs compared: WRONG", not_checked: "outputs not compared" };
  return (
    `${view.algorithm}: ${view.cycles.toLocaleString("en")} cycles (${time} µs at ${view.clock_ghz} GHz)` +
    `${overBound(view.cycles, view.lower_bound_cycles)}; ${checked[view.verified]}`
  );
}

function overBound(cycles: number, bound: number | null): string {
  if (bound === null) return "";
  return `, ${(cycles / Math.max(bound, 1)).toFixed(2)} times the lower bound of ${bound.toLocaleString("en")}`;
}
