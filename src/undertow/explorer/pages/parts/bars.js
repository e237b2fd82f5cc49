// Words of hidden units as a line of tinted words, and bars of shares. The figure always stands beside the colour.

import { h } from "../core/dom.js";
import { figure, signed } from "../core/format.js";

/** A few words, tinted by their weight; `hit` says which are marked. */
export function wordLine(words, side, hit = () => false) {
  const most = largest(words);
  const tint = (weight) => (0.08 + 0.3 * (Math.abs(weight) / most)).toFixed(3);
  return h(
    "div",
    { class: `word-line ${side}` },
    h("span", { class: "sign", "aria-hidden": "true" }, side === "up" ? "▲" : "▼"),
    h(
      "ul",
      { class: "words", "aria-label": side === "up" ? "Words that speak for it" : "Words that speak against it" },
      words.map(({ word, weight }) => h("li", { class: hit(word) ? "hit" : null, title: signed(weight), style: { "--a": tint(weight) } }, word)),
    ),
  );
}

/** A bar for a share from 0 to 1. */
export function track(share) {
  const width = `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
  return h("span", { class: "track", "aria-hidden": "true" }, h("span", { style: { "--w": width } }));
}

/** Bars of topics, each a link: {id, name, value}. */
export function linkBars(items, toLink, format = figure, most = 1) {
  return h(
    "ol",
    { class: "bars" },
    items.map((item) =>
      h(
        "li",
        {},
        h("a", { class: "word", href: toLink(item), title: item.name }, item.name),
        track(item.value / most),
        h("span", { class: "figure" }, format(item.value)),
      ),
    ),
  );
}

/** The largest absolute weight, never 0. */
export function largest(words) {
  return Math.max(1e-9, ...words.map(({ weight }) => Math.abs(weight)));
}
