// SPDX-License-Identifier: Apache-2.0
/** The engine's exported functions: the interface of crates/noccl-web/src/memory.rs. */

interface Exports {
  memory: WebAssembly.Memory;
  noccl_reserve(bytes: number): number;
  noccl_call(): number;
  noccl_response(): number;
  noccl_response_bytes(): number;
}

export class Instance {
  private constructor(private readonly exports: Exports) {}

  static async of(
    module: WebAssembly.Module,
    progress: (done: number, total: number, cycles: number) => void,
  ): Promise<Instance> {
    const made = await WebAssembly.instantiate(module, { page: { progress } });
    return new Instance(made.exports as unknown as Exports);
  }

  /** Carries out a call. Throws the message of a panic. */
  call(text: string): string {
    const call = new TextEncoder().encode(text);
    const at = this.exports.noccl_reserve(call.length);
    new Uint8Array(this.exports.memory.buffer, at, call.length).set(call);
    try {
      return this.read(this.exports.noccl_call());
    } catch (error) {
      throw new Error(`the engine stopped (${String(error)}): ${this.read(this.exports.noccl_response_bytes())}`);
    }
  }

  private read(bytes: number): string {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, this.exports.noccl_response(), bytes));
  }
}
