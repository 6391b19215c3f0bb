// SPDX-License-Identifier: Apache-2.0
/** The form: a request from its fields, its lists from what the engine offers. */

import type { Shared } from "./fragment.ts";
import { DEFAULT, type Options, type Request } from "./view.ts";

const ELEMENTS = ["fp64", "fp32", "fp16", "bf16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"];
/** Fields on which the list of algorithms depends. */
const DECIDING = new Set(["network", "collective", "bytes", "group", "root", "operator", "element", "overrides"]);

export class Controls {
  onChange = () => {};
  onRun = () => {};
  onFile: (file: File) => void = () => {};
  /** The text of a spec, where the field says its name. */
  private spec = { name: "", text: "" };

  constructor(private readonly form: HTMLFormElement) {
    fill(this.select("element"), ELEMENTS);
    this.set({ request: DEFAULT, second: "" });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.onRun();
    });
    form.addEventListener("change", (event) => {
      const field = event.target as HTMLInputElement;
      const file = field.files?.[0];
      if (file !== undefined) {
        this.onFile(file);
        // The same file, written anew, can be chosen again.
        field.value = "";
      } else if (DECIDING.has(field.name)) this.onChange();
    });
  }

  shared(): Shared {
    const text = (name: string) => this.field(name).value.trim();
    const form = text("form");
    const request: Request = {
      network: text("network") === this.spec.name ? this.spec.text : text("network"),
      overrides: text("overrides").split(/\s+/).filter((word) => word !== ""),
      collective: text("collective"),
      bytes: text("bytes"),
      group: text("group"),
      root: text("root"),
      algorithm: form === "" ? text("algorithm") : form,
      operator: text("operator"),
      element: text("element"),
    };
    return { request, second: text("second") };
  }

  set({ request, second }: Shared): void {
    const { algorithm, overrides, network, ...rest } = request;
    const isText = network.includes("\n");
    const name = isText ? `${/^name *= *"(.*)"/m.exec(network)?.[1] ?? "spec"} (own spec)` : network;
    this.spec = { name, text: network };
    this.write("network", name);
    for (const [name, value] of Object.entries(rest)) this.write(name, value);
    this.write("overrides", overrides.join(" "));
    this.write("second", second);
    const isForm = algorithm.includes(":");
    this.write("form", isForm ? algorithm : "");
    this.write("algorithm", isForm ? "auto" : algorithm);
  }

  /** The lists, with what is chosen kept if it is still there. */
  offer(options: Options): void {
    const presets = this.form.querySelector("datalist")!;
    presets.replaceChildren(...options.presets.map((name) => new Option(name, name)));
    fill(this.select("collective"), options.collectives);
    fill(this.select("algorithm"), options.algorithms);
    fill(this.select("second"), ["", ...options.algorithms], "nothing");
  }

  private write(name: string, value: string): void {
    const field = this.field(name);
    if (field instanceof HTMLSelectElement && ![...field.options].some((option) => option.value === value)) {
      field.add(new Option(value === "" ? "nothing" : value, value));
    }
    field.value = value;
  }

  private field(name: string): HTMLInputElement | HTMLSelectElement {
    return this.form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement;
  }

  private select(name: string): HTMLSelectElement {
    return this.field(name) as HTMLSelectElement;
  }
}

function fill(select: HTMLSelectElement, values: string[], empty = ""): void {
  const chosen = select.value;
  select.replaceChildren(...values.map((value) => new Option(value === "" ? empty : value, value)));
  select.value = values.includes(chosen) ? chosen : (values[0] ?? "");
}
