// SPDX-License-Identifier: Apache-2.0
/** What is known of the link, tile or action that was clicked; of the whole run if nothing was. */

import type { Selected } from "./mesh.ts";
import type { Run } from "./run.ts";

type Rows = [string, string][];

export class Details {
  constructor(private readonly root: HTMLElement) {}

  show(run: Run, selected: Selected, cycle: number): void {
    const table = document.createElement("table");
    for (const [name, value] of this.rows(run, selected, cycle)) {
      const line = table.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      line.append(head);
      line.insertCell().textContent = value;
    }
    this.root.replaceChildren(table);
  }

  private rows(run: Run, selected: Selected, cycle: number): Rows {
    if (selected === null) return whole(run);
    if ("link" in selected) return link(run, selected.link, cycle);
    return "tile" in selected ? tile(run, selected.tile) : action(run, selected.action);
  }
}

const number = (value: number) => value.toLocaleString("en");

const nameOf = (run: Run, at: [number, number]) =>
  run.view.tiles.find((tile) => tile.at[0] === at[0] && tile.at[1] === at[1])?.name ?? at.join(",");

function whole(run: Run): Rows {
  const { view } = run;
  const { counters } = view;
  const rows: Rows = [
    ["Network", `${view.network}, ${view.mesh.join("×")} tiles`],
    // A schedule of one's own may claim no collective.
    view.group === "" ? [view.recording === undefined ? "Schedule" : "Recorded", view.algorithm] : ["Collective", `${view.request.collective} of ${view.request.bytes}, group ${view.group}, root ${view.root}`],
    ["Flit-hops", number(counters.flit_hops ?? 0)],
    ["Busiest link", busiest(run)],
  ];
  if (view.recording !== undefined) rows.push(...view.recording.whole());
  if (view.energy_pj !== null) rows.push(["Energy", `${number(Math.round(view.energy_pj / 100) / 10)} nJ`]);
  if (view.trace.window_cycles > 1) rows.push(["Window", `${number(view.trace.window_cycles)} cycles`]);
  return rows;
}

function busiest(run: Run): string {
  const { links } = run.view.trace;
  const most = links.reduce((best, one) => (one.flits > best.flits ? one : best), links[0] ?? { flits: 0, plane: "", from: [0, 0], to: [0, 0] });
  if (most.flits === 0) return "none";
  const part = ((100 * most.flits) / Math.max(run.view.cycles ?? run.duration, 1)).toFixed(0);
  return `${most.plane} ${nameOf(run, most.from)} → ${nameOf(run, most.to)}: ${number(most.flits)} flits, ${part} % of the cycles`;
}

function link(run: Run, index: number, cycle: number): Rows {
  const found = run.view.trace.links[index];
  if (found === undefined) return [];
  let now = 0;
  run.each(run.windowOf(cycle), (link, flits) => {
    if (link === index) now = flits;
  });
  return [
    ["Link", `${found.plane} plane, ${nameOf(run, found.from)} → ${nameOf(run, found.to)}`],
    ["Flits", `${number(found.flits)} in the whole run, ${now} in this window`],
    ["Load", `${((100 * found.flits) / run.duration).toFixed(1)} % of ${number(run.duration)} cycles`],
    ...(run.view.recording?.behind(found) ?? []),
  ];
}

/** Most actions that the details of a tile list. */
const MAX_LISTED = 12;

function tile(run: Run, index: number): Rows {
  const found = run.view.tiles[index];
  if (found === undefined) return [];
  const actions = run.view.actions.filter((one) => one.tiles.includes(index));
  const rows: Rows = [
    ["Tile", `${found.name}, ${found.is_memory ? "memory" : "cores"}, mesh position ${found.at.join(",")}`],
    ...(found.rank === undefined ? [] : [["Rank", String(found.rank)] as [string, string]]),
    [found.rank === undefined ? "Actions" : "Parts of its time", number(actions.length)],
  ];
  rows.push(...(run.view.recording?.at(found.at) ?? []));
  for (const one of actions.slice(0, MAX_LISTED)) rows.push([one.kind, time(one.start_cycle, one.finish_cycle)]);
  if (actions.length > MAX_LISTED) rows.push(["…", `${actions.length - MAX_LISTED} more`]);
  return rows;
}

function action(run: Run, index: number): Rows {
  const found = run.view.actions[index];
  if (found === undefined) return [];
  const names = found.tiles.map((tile) => run.view.tiles[tile]?.name ?? String(tile));
  const rank = run.view.tiles[found.tiles[0] ?? -1]?.rank;
  return [
    rank === undefined ? ["Action", `${index}: ${found.kind}`] : ["Rank", `${rank}: ${found.kind}`],
    ["Tiles", names.join("; ")],
    ["Time", time(found.start_cycle, found.finish_cycle)],
    ...(found.rows ?? []),
    ...(run.view.recording?.of(index) ?? []),
  ];
}

function time(start: number, finish: number | null): string {
  if (finish === null) return `from cycle ${number(start)}, not over`;
  return `cycles ${number(start)} to ${number(finish)} (${number(finish - start)})`;
}
