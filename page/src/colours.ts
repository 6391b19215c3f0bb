// SPDX-License-Identifier: Apache-2.0
/** Colours: told apart by readers with colour blindness, in light and dark (the palette of Okabe and Ito, darkened or lightened). */

export interface Palette {
  ink: string;
  faint: string;
  line: string;
  tile: string;
  memory: string;
  member: string;
  accent: string;
  bound: string;
  series: string[];
}

const LIGHT: Palette = {
  ink: "#1b1f24",
  faint: "#57606a",
  line: "#d6dbe1",
  tile: "#eef1f4",
  memory: "#dfe4ea",
  member: "#cfe3f3",
  accent: "#b3123f",
  bound: "#008062",
  series: ["#0072b2", "#d55e00", "#008062", "#a3478a", "#8a6d00", "#4b5563", "#56b4e9", "#b3123f"],
};

const DARK: Palette = {
  ink: "#e6e9ed",
  faint: "#9aa4af",
  line: "#343b44",
  tile: "#20262d",
  memory: "#2b323b",
  member: "#1d3a52",
  accent: "#ff7a95",
  bound: "#2fc79e",
  series: ["#56b4e9", "#ff8c42", "#2fc79e", "#e08cc6", "#e6c229", "#b0b8c1", "#9fd3f5", "#ff7a95"],
};

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const palette = (): Palette => (dark.matches ? DARK : LIGHT);

export const onSchemeChange = (redraw: () => void) => dark.addEventListener("change", redraw);

/** Colours of planes by name, so that a plane has one in all runs; core tiles have other planes than clusters. */
const PLANES: Record<string, number> = { wide: 0, rsp: 1, req: 2, udn: 0, static: 1 };

/** The colour of a plane's flits. */
export const ofPlane = (plane: string): string => series(PLANES[plane] ?? 2);

/** Kinds of actions: first those that no plane has, none that of what is selected. */
const KINDS = [3, 4, 5, 6, 1, 2, 0];

/** The colour of the n-th kind of action of a run. */
export const ofKind = (n: number): string => series(KINDS[n % KINDS.length]!);

function series(n: number): string {
  const all = palette().series;
  return all[n % all.length] ?? all[0]!;
}
