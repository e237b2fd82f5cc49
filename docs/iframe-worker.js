// A site that is opened from a folder has no workers: browsers refuse to start scripts of file://.
// There the search of the site runs in a hidden frame of the page instead, whose messages are passed on.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const script = new URL(address, document.baseURI).href.replaceAll('"', "%22");
      frame.srcdoc = `<script src="${script}"></script>`;
      this.window = new Promise((loaded) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          loaded(inside);
        };
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      (await this.window).dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
