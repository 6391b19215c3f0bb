// SPDX-License-Identifier: Apache-2.0
/** The engine in a worker: one call at a time; a call that is stopped ends its worker. */

import type { Recording } from "./recording.ts";
import type { Options, Request, View } from "./view.ts";

declare const WORKER_SOURCE: string;

export type Reply = { options: Options } | { view: View } | { recording: Recording } | { error: string };
export type FromWorker = { reply: Reply } | { progress: [number, number, number] } | { failed: string };
export type ToWorker = { module: WebAssembly.Module } | { call: unknown };

export class Stopped extends Error {}

/** The compiled engine of this page. */
export async function compile(encoded: string): Promise<WebAssembly.Module> {
  const packed = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

export class Engine {
  private worker: Worker | null = null;
  private reject: ((error: Error) => void) | null = null;

  constructor(private readonly module: Promise<WebAssembly.Module>) {}

  async options(request: Request): Promise<Options> {
    const reply = await this.call({ call: "options", request }, () => {});
    if ("options" in reply) return reply.options;
    throw new Error("error" in reply ? reply.error : "the engine gave another reply");
  }

  async view(request: Request, onProgress: (done: number, total: number, cycles: number) => void): Promise<View> {
    const reply = await this.call({ call: "view", request }, onProgress);
    if ("view" in reply) return reply.view;
    throw new Error("error" in reply ? reply.error : "the engine gave another reply");
  }

  /** The recording in the text of a file, checked as the command line checks it. */
  async recording(name: string, text: string): Promise<Recording> {
    const reply = await this.call({ call: "recording", name, text }, () => {});
    if ("recording" in reply) return reply.recording;
    throw new Error("error" in reply ? reply.error : "the engine gave another reply");
  }

  /** Ends the call that is being carried out. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.reject?.(new Stopped("stopped"));
    this.reject = null;
  }

  private async call(call: unknown, onProgress: (done: number, total: number, cycles: number) => void): Promise<Reply> {
    const module = await this.module;
    if (this.reject !== null) this.stop();
    const worker = this.worker ?? this.start(module);
    return new Promise((resolve, reject) => {
      this.reject = reject;
      worker.onmessage = (event: MessageEvent<FromWorker>) => {
        if ("progress" in event.data) {
          onProgress(...event.data.progress);
          return;
        }
        this.reject = null;
        if ("reply" in event.data) {
          resolve(event.data.reply);
        } else {
          // After a trap the memory of the instance is unknown.
          worker.terminate();
          this.worker = null;
          reject(new Error(event.data.failed));
        }
      };
      const message: ToWorker = { call };
      worker.postMessage(message);
    });
  }

  private start(module: WebAssembly.Module): Worker {
    const source = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
    const worker = new Worker(source);
    const message: ToWorker = { module };
    worker.postMessage(message);
    this.worker = worker;
    return worker;
  }
}
