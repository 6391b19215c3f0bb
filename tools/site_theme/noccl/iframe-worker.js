// SPDX-License-Identifier: Apache-2.0
// Search in pages that are opened from a folder. Browsers start no worker from a file, so the
// script of the worker runs in a hidden frame instead, with the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      // What the script posts arrives here as a message.
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inside.document.createElement("script");
      // Messages sent before the script has been loaded wait for it.
      this.loaded = new Promise((resolve) => (script.onload = resolve));
      script.src = String(url);
      this.inside.document.body.appendChild(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
}
