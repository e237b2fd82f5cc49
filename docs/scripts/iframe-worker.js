// The search of the site runs in a worker, which browsers refuse to pages that are opened from a
// folder. There its script runs in a hidden frame of the page, which talks as a worker would.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.tell(this, data);
      const script = this.inner.document.createElement("script");
      script.src = new URL(address, document.baseURI);
      script.onload = () => this.begin();
      this.inner.document.body.append(script);
    }

    begin() {
      const waiting = this.waiting;
      this.waiting = null;
      waiting.forEach((data) => this.tell(this.inner, data));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.tell(this.inner, data);
    }

    tell(other, data) {
      const told = new MessageEvent("message", { data });
      other.dispatchEvent(told);
      if (other === this && this.onmessage) this.onmessage(told);
    }
  };
}
