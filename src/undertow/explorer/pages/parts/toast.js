// A short message at the foot of the page, with something to press where there is something to take back.

import { h } from "../core/dom.js";

const SHOWN = 9000; // milliseconds

let last = null;

/** Shows a message; `act` is [text, what it does], and an error stays until it is closed. */
export function toast(message, { act = null, error = false } = {}) {
  last?.remove();
  const element = h(
    "div",
    { class: `toast${error ? " error" : ""}`, role: error ? "alert" : "status" },
    h("span", {}, message),
    act && h("button", { type: "button", class: "text-button", on: { click: () => (element.remove(), act[1]()) } }, act[0]),
    h("button", { type: "button", class: "text-button toast-close", "aria-label": "Close the message", on: { click: () => element.remove() } }, "×"),
  );
  document.body.append(element);
  last = element;
  if (!error) setTimeout(() => element.remove(), SHOWN);
}
