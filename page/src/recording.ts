// SPDX-License-Identifier: Apache-2.0
/** A recording of a run (docs/formats/run-recording.md) as the page shows one: actions, or ranks, or transactions as bars. */

import { type Action, DEFAULT, type Tile, type Trace, type View } from "./view.ts";
import { type Windows, readEntries } from "./windows.ts";

export const RECORDING_FORMAT = 2;

interface Port {
  plane: string;
  at: [number, number];
  port: string;
  cause: string;
  cycles: number;
}

interface Transactions {
  kinds: string[];
  kind: number[];
  action: (number | null)[];
  from: number[];
  to: (number | null)[];
  bytes: number[];
  start_cycle: number[];
  response_cycle: (number | null)[];
}

interface Rank {
  at: [number, number];
  cycles: Record<string, number>;
  slices: [string, number, number, number | null][];
}

interface Call {
  call: string;
  call_site: string;
  awaits: string;
}

export interface Recording {
  format: number;
  workload: string;
  network: string;
  mesh: [number, number];
  tiles: string[];
  clock_ghz: number;
  cycles: number;
  actions: Action[];
  flits: Trace;
  blocked: { ports: Port[]; windows: string };
  transactions: Transactions;
  ranks: Rank[];
  calls: Call[];
}

export type Rows = [string, string][];

/** The file of a recording, as far as this function looks: the engine checks the rest. */
export function isRecording(read: unknown): read is { recording: Recording } {
  return typeof read === "object" && read !== null && "recording" in read;
}

/** The run of a recording. */
export function viewOf(recording: Recording): View {
  const { mesh, tiles: names, flits } = recording;
  if (recording.format !== RECORDING_FORMAT) {
    throw new Error(`recording.format: ${recording.format}; accepted: ${RECORDING_FORMAT}`);
  }
  const place = (at: [number, number]) => at[0] * mesh[1] + at[1];
  const tiles: Tile[] = names.map((name, index) => ({
    at: [Math.floor(index / mesh[1]), index % mesh[1]],
    name,
    is_memory: name.startsWith("mem:"),
    is_member: false,
  }));
  recording.ranks.forEach((rank, number) => (tiles[place(rank.at)]!.rank = number));
  const actions = barsOf(recording, place);
  for (const action of actions) for (const tile of action.tiles) tiles[tile]!.is_member = true;
  return {
    format: 1,
    request: DEFAULT,
    network: recording.network,
    mesh,
    tiles,
    group: "",
    root: "",
    algorithm: recording.workload,
    cycles: recording.cycles,
    last_event_cycle: recording.cycles,
    clock_ghz: recording.clock_ghz,
    lower_bound_cycles: null,
    verified: "not_checked",
    counters: { flit_hops: flits.links.reduce((sum, link) => sum + link.flits, 0) },
    energy_pj: null,
    actions,
    trace: flits,
    stall: null,
    recording: new Waits(recording),
  };
}

/** What the chart has a bar for. */
function barsOf(recording: Recording, place: (at: [number, number]) => number): Action[] {
  const { actions, ranks, calls, transactions: of } = recording;
  if (actions.length > 0) return actions;
  if (ranks.length > 0) {
    return ranks.flatMap((rank) =>
      rank.slices.map(([activity, start_cycle, finish_cycle, call]) => {
        const known = call === null ? undefined : calls[call];
        return { kind: activityName(activity, known), tiles: [place(rank.at)], start_cycle, finish_cycle, rows: callRows(known) };
      }),
    );
  }
  return of.kind.map((kind, index) => ({
    kind: of.kinds[kind]!,
    tiles: [of.from[index]!],
    start_cycle: of.start_cycle[index]!,
    finish_cycle: of.response_cycle[index]!,
    rows: [["Bytes", of.bytes[index]!.toLocaleString("en")], ...targetRows(recording, of.to[index]!)],
  }));
}

const targetRows = (recording: Recording, to: number | null): Rows => (to === null ? [] : [["To", recording.tiles[to]!]]);

/** Calls of a rank alone. */
const OWN_CALLS = new Set(["wait", "compute", "poll"]);

/** What a rank does; of a wait in a collective also in which. */
function activityName(activity: string, call: Call | undefined): string {
  const name = activity.replaceAll("_", " ");
  return name !== "wait" || call === undefined || OWN_CALLS.has(call.call) ? name : `wait in ${call.call}`;
}

function callRows(call: Call | undefined): Rows {
  if (call === undefined) return [];
  const rows: Rows = [
    ["Call", call.call],
    ["At", call.call_site],
  ];
  return call.awaits === "" ? rows : [...rows, ["Waits for", call.awaits]];
}

const PORTS: Record<string, string> = { merge_point: "merge point", local: "the tile" };
const CAUSES: Record<string, string> = {
  no_space: "no space behind the output: no credit",
  arbitration: "another packet has the output",
  contributions: "other contributions lack",
  memory_port: "the tile's interface is busy",
  addition: "the reduction unit is busy",
};

/** Most rows of details. */
const MAX_ROWS = 8;

/** Where and why flits waited, and which transactions an action had. */
export class Waits {
  private readonly windows: Windows;
  /** Blocked cycles per window, over all ports. */
  readonly perWindow: Float64Array;
  private transactionsOf: Map<number, number[]> | null = null;

  constructor(private readonly recording: Recording) {
    const { ports, windows } = recording.blocked;
    const { num_windows } = recording.flits;
    this.windows = readEntries(windows, num_windows, ports.length);
    this.perWindow = new Float64Array(num_windows);
    for (let w = 0; w < num_windows; w++) {
      for (let entry = this.windows.first[w]!; entry < this.windows.first[w + 1]!; entry++) this.perWindow[w]! += this.windows.flits[entry]!;
    }
  }

  /** Tiles with inputs that were blocked in some windows, and for which part of the time the worst of them was. */
  shades(first: number, last: number): [[number, number], number][] {
    const { ports } = this.recording.blocked;
    const cycles = (last - first + 1) * this.recording.flits.window_cycles;
    const sums = new Map<number, number>();
    const [from, until] = [first, last + 1].map((w) => this.windows.first[Math.min(w, this.windows.first.length - 1)]!) as [number, number];
    for (let entry = from; entry < until; entry++) {
      const port = this.windows.link[entry]!;
      sums.set(port, (sums.get(port) ?? 0) + this.windows.flits[entry]!);
    }
    const worst = new Map<string, [[number, number], number]>();
    for (const [port, sum] of sums) {
      const { at } = ports[port]!;
      const known = worst.get(String(at));
      if (known === undefined || known[1] < sum / cycles) worst.set(String(at), [at, sum / cycles]);
    }
    return [...worst.values()];
  }

  get hasPorts(): boolean {
    return this.recording.blocked.ports.length > 0;
  }

  /** Cycles by cause in the whole run, and what ranks did. */
  whole(): Rows {
    const causes = new Map<string, number>();
    for (const port of this.recording.blocked.ports) causes.set(port.cause, (causes.get(port.cause) ?? 0) + port.cycles);
    const rows: Rows = sorted(causes).map(([cause, cycles]) => [`Blocked: ${CAUSES[cause] ?? cause}`, port_cycles(cycles)]);
    const activities = new Map<string, number>();
    for (const rank of this.recording.ranks) {
      for (const [name, cycles] of Object.entries(rank.cycles)) activities.set(name, (activities.get(name) ?? 0) + cycles);
    }
    const all = [...activities.values()].reduce((a, b) => a + b, 0);
    for (const [name, cycles] of sorted(activities)) {
      rows.push([`Ranks: ${name.replaceAll("_", " ")}`, `${((100 * cycles) / all).toFixed(1)} % of their cycles`]);
    }
    return rows;
  }

  /** Blocked inputs of a router. */
  at(at: [number, number], port?: string, plane?: string): Rows {
    const found = this.recording.blocked.ports.filter(
      (one) =>
        one.at[0] === at[0] && one.at[1] === at[1] && (port === undefined || one.port === port) && (plane === undefined || one.plane === plane),
    );
    found.sort((a, b) => b.cycles - a.cycles);
    return found
      .slice(0, MAX_ROWS)
      .map((one) => [`Waits, ${one.plane}, from ${PORTS[one.port] ?? one.port}`, `${one.cycles.toLocaleString("en")} cycles: ${CAUSES[one.cause] ?? one.cause}`]);
  }

  /** Blocked input at the end of a link. */
  behind(link: { plane: string; from: [number, number]; to: [number, number] }): Rows {
    const [dx, dy] = [link.from[0] - link.to[0], link.from[1] - link.to[1]];
    const port = dx === 0 ? (dy > 0 ? "north" : "south") : dx > 0 ? "east" : "west";
    return this.at(link.to, port, link.plane);
  }

  /** Transactions of an action. */
  of(action: number): Rows {
    const { transactions: of, actions, tiles } = this.recording;
    if (actions.length === 0) return [];
    this.transactionsOf ??= byAction(of.action);
    const found = this.transactionsOf.get(action) ?? [];
    const rows: Rows = found.slice(0, MAX_ROWS).map((index) => {
      const to = of.to[index] === null ? "" : ` to ${tiles[of.to[index]!]!}`;
      const end = of.response_cycle[index] ?? "no end";
      return [of.kinds[of.kind[index]!]!, `${tiles[of.from[index]!]!}${to}: cycles ${of.start_cycle[index]!} to ${end}`];
    });
    if (found.length > MAX_ROWS) rows.push(["…", `${found.length - MAX_ROWS} more`]);
    return rows;
  }
}

const port_cycles = (cycles: number) => `${cycles.toLocaleString("en")} cycles, over all ports`;

const sorted = (of: Map<string, number>) => [...of].sort((a, b) => b[1] - a[1]);

function byAction(of: (number | null)[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  of.forEach((action, index) => {
    if (action === null) return;
    const known = found.get(action);
    if (known === undefined) found.set(action, [index]);
    else known.push(index);
  });
  return found;
}
