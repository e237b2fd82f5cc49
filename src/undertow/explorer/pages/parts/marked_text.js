// A text whose words are tinted by what they did to carry it into a topic. The strongest are underlined too, and figures
// stand in titles.

import { h } from "../core/dom.js";
import { signed } from "../core/format.js";
import { largest, track } from "./bars.js";

const UNDERLINED = 12; // occurrences, of either sign
const LISTED = 24; // words

/** The text of a document with its spans; positions are those of slice(). Words of n-grams lie in one another. */
export function markedText({ text, spans }, name) {
  const ordered = [...spans].sort((one, other) => one.start - other.start);
  const strong = new Set([...spans].sort((one, other) => Math.abs(other.part) - Math.abs(one.part)).slice(0, UNDERLINED));
  const most = Math.max(1e-9, ...spans.map(({ part }) => Math.abs(part)));
  const edges = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const pieces = [text.slice(0, edges[0] ?? text.length)];
  let next = 0;
  let here = []; // spans that the place lies in
  edges.forEach((start, place) => {
    here = here.filter(({ end }) => end > start);
    while (next < ordered.length && ordered[next].start === start) here.push(ordered[next++]);
    const piece = text.slice(start, edges[place + 1] ?? text.length);
    pieces.push(here.length ? tinted(piece, start, here, { most, strong, name }) : piece);
  });
  return h("div", { class: "marked" }, pieces);
}

/** A piece of text under the spans that it lies in; `data-part` is that of those that begin here, so that all add up. */
function tinted(piece, start, here, { most, strong, name }) {
  const part = here.reduce((sum, span) => sum + span.part, 0);
  const begun = here.filter((span) => span.start === start).reduce((sum, span) => sum + span.part, 0);
  const strength = Math.min(1, Math.abs(part) / most) ** 0.8;
  const title = here.map((span) => `${signed(span.part)} to “${name}” (${span.word})`).join("\n");
  const kind = `${part >= 0 ? "up" : "down"}${here.some((span) => strong.has(span)) ? " strong" : ""}`;
  return h("span", { class: kind, style: { "--a": (0.55 * strength).toFixed(3) }, title, "data-part": begun }, piece);
}

/** The parts of each word taken together, as bars; the strongest either way. */
export function wordTotals(spans) {
  const sums = new Map();
  for (const { word: name, part } of spans) {
    const before = sums.get(name) ?? { word: name, weight: 0, times: 0 };
    sums.set(name, { word: name, weight: before.weight + part, times: before.times + 1 });
  }
  const rows = [...sums.values()].sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight)).slice(0, LISTED);
  if (!rows.length) return h("p", { class: "card-note" }, "The model knows no word of this text.");
  const most = largest(rows);
  return h(
    "ol",
    { class: "bars" },
    rows.sort((one, other) => other.weight - one.weight).map(({ word: name, weight, times }) =>
      h(
        "li",
        { class: weight < 0 ? "down" : "up" },
        h("span", { class: "word", title: name }, name, times > 1 && h("span", { class: "figure" }, ` ×${times}`)),
        track(Math.abs(weight) / most),
        h("span", { class: "figure" }, signed(weight)),
      ),
    ),
  );
}
