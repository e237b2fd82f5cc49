// A text whose words are tinted by their part in a topic. The strongest are underlined too, and figures stand in titles.

import { h } from "../core/dom.js";
import { signed } from "../core/format.js";
import { largest, track } from "./bars.js";

const UNDERLINED = 12; // occurrences, of either sign
const LISTED = 24; // words

/** The text of a document with its spans; positions are those of slice(). */
export function markedText({ text, spans }, name) {
  const most = Math.max(1e-9, ...spans.map(({ part }) => Math.abs(part)));
  const strong = new Set([...spans].sort((one, other) => Math.abs(other.part) - Math.abs(one.part)).slice(0, UNDERLINED));
  const pieces = [];
  let at = 0;
  for (const span of [...spans].sort((one, other) => one.start - other.start)) {
    if (span.start < at) continue; // words of an n-gram lie in one another; the first is tinted
    pieces.push(text.slice(at, span.start), word(text, span, most, strong.has(span), name));
    at = span.end;
  }
  pieces.push(text.slice(at));
  return h("div", { class: "marked" }, pieces);
}

function word(text, span, most, strong, name) {
  const strength = (Math.abs(span.part) / most) ** 0.8;
  const side = span.part >= 0 ? "up" : "down";
  return h(
    "span",
    {
      class: `${side}${strong ? " strong" : ""}`, style: { "--a": (0.55 * strength).toFixed(3) },
      title: `${signed(span.part)} to “${name}” (${span.word})`, "data-part": span.part,
    },
    text.slice(span.start, span.end),
  );
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
