// What is shown when there is nothing to show yet, nothing at all, or something went wrong.

import { h } from "../core/dom.js";

/** Grey bars where text will be. */
export function loading(text = "Loading…") {
  const bars = [40, 92, 84, 88, 61].map((width) => h("span", { class: "bone", style: { "--w": `${width}%` } }));
  return h("div", { class: "state loading", role: "status" }, h("span", { class: "hidden" }, text), bars);
}

/** Nothing found, nothing there: a sentence, and what to do. */
export function empty(title, ...more) {
  return h("div", { class: "state" }, h("p", { class: "state-title" }, title), more);
}

/** What went wrong, in the server's words, and another try. */
export function failed(error, retry) {
  const again = retry && h("button", { type: "button", class: "button", on: { click: () => retry() } }, "Try again");
  return h(
    "div",
    { class: "state failed", role: "alert" },
    h("h1", { class: "state-title" }, error.status === 404 ? "Not found" : "This did not work"),
    h("p", {}, error.message),
    again,
    " ",
    error.status === 404 && h("a", { href: "#/topics" }, "All topics"),
  );
}

/** A page that needs documents, when there is only a model. */
export function needsIndex(title, what) {
  return h(
    "div",
    { class: "view" },
    h("h1", {}, title),
    h(
      "div",
      { class: "state" },
      h("p", { class: "state-title" }, `${what} needs documents`),
      h("p", {}, "This is a model alone. Make an index of a corpus with it, and explore that:"),
      h("pre", { class: "commands" }, "undertow index MODEL CORPUS --out INDEX\nundertow explore INDEX"),
    ),
  );
}

/** A page about topics, when the model has no tree of them. */
export function needsTree(title) {
  return h(
    "div",
    { class: "view" },
    h("h1", {}, title),
    empty("This model has no topics yet", h("p", {}, "It was made by an earlier version of undertow. Fit it again, or give it topics with grow_topics(texts); its hidden units are on the page Model.")),
  );
}

/** A bar that fills while something is computed: element and the function that sets it. */
export function progress(text) {
  const label = h("p", { class: "state-title" });
  const bar = h("progress", { max: "1", value: 0, "aria-label": text });
  const element = h("div", { class: "state computing", role: "status" }, label, bar);
  const set = (share) => {
    label.textContent = `${text} ${Math.round(100 * share)} %`;
    bar.value = share;
  };
  set(0);
  return { element, set };
}
