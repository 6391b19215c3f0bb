// SPDX-License-Identifier: Apache-2.0
/** Requests as fragments of the page's address, so that a link repeats a run. */

import { DEFAULT, type Request } from "./view.ts";

export interface Shared {
  request: Request;
  /** Algorithm of the second run; empty for none. */
  second: string;
}

/** Fields that differ from the defaults. */
export function fragmentOf({ request, second }: Shared): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(request) as [keyof Request, string | string[]][]) {
    if (Array.isArray(value)) {
      for (const override of value) fields.append("P", override);
    } else if (value !== DEFAULT[name]) {
      fields.set(name, value);
    }
  }
  if (second !== "") fields.set("second", second);
  return fields.toString();
}

/** What a fragment says; unknown fields are ignored. */
export function sharedOf(fragment: string): Shared {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const request: Request = { ...DEFAULT, overrides: fields.getAll("P") };
  for (const name of Object.keys(DEFAULT) as (keyof Request)[]) {
    const value = fields.get(name);
    if (value !== null && name !== "overrides") request[name] = value;
  }
  return { request, second: fields.get("second") ?? "" };
}
