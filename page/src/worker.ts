// SPDX-License-Identifier: Apache-2.0
/** The worker around the engine: texts in and out of its memory. */

import type { FromWorker, ToWorker } from "./engine.ts";
import { Instance } from "./instance.ts";

let instance: Promise<Instance> | null = null;

const post = (message: FromWorker) => self.postMessage(message);

self.onmessage = async (event: MessageEvent<ToWorker>) => {
  if ("module" in event.data) {
    instance = Instance.of(event.data.module, (...progress) => post({ progress }));
    return;
  }
  try {
    if (instance === null) throw new Error("the engine has not been loaded");
    post({ reply: JSON.parse((await instance).call(JSON.stringify(event.data.call))) });
  } catch (error) {
    post({ failed: (error as Error).message });
  }
};
