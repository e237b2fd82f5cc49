// How many topics: a slider from 2 to all, with a mark at the model's own number, and a box for the exact one.

import { h, svg } from "../core/dom.js";
import { whole } from "../core/format.js";

const CLOSE = 40; // up to here every number has a place of its own; further up they are a twentieth apart

/** The numbers that the slider stops at. */
export function stops(least, most, own) {
  const found = new Set([own, most]);
  for (let n = least; n <= most; n = n < CLOSE ? n + 1 : Math.round(n * 1.05)) found.add(n);
  return [...found].filter((n) => n >= least && n <= most).sort((one, other) => one - other);
}

/** The control; `change` is told the number at once, while the slider moves. `set` shows another one. */
export function topicSlider(tree, n, change) {
  const numbers = stops(tree.least, tree.most, tree.chosen);
  const place = (wanted) => numbers.findIndex((one, at) => one >= wanted || at === numbers.length - 1);
  const range = h("input", {
    type: "range", class: "slider-range", min: "0", max: String(numbers.length - 1), step: "1", "aria-label": "How many topics",
    on: { input: () => told(numbers[Number(range.value)]) },
  });
  const box = h("input", {
    type: "number", class: "field slider-box", min: String(tree.least), max: String(tree.most), "aria-label": "How many topics, exactly",
    on: { change: () => told(tree.count(box.value === "" ? null : Number(box.value))) },
  });
  const own = h("button", { type: "button", class: "slider-own", title: "The number that the model chose by itself: two halves of the documents agree best on so many", on: { click: () => told(tree.chosen) } }, `model’s own: ${whole(tree.chosen)}`);
  const share = place(tree.chosen) / Math.max(1, numbers.length - 1);
  const element = h(
    "div",
    { class: "slider" },
    h("span", { class: "slider-title", "aria-hidden": "true" }, "Topics"),
    box,
    h("div", { class: "slider-rail", title: "The line shows how well two halves of the documents agree on so many topics", style: { "--own": share.toFixed(4) } }, curve(tree.stability, numbers), range, h("span", { class: "slider-mark", "aria-hidden": "true" })),
    own,
  );
  const set = (wanted) => {
    range.value = String(place(wanted));
    range.setAttribute("aria-valuetext", `${whole(wanted)} topics${wanted === tree.chosen ? ", the model’s own number" : ""}`);
    box.value = String(wanted);
    own.setAttribute("aria-pressed", String(wanted === tree.chosen));
  };
  const told = (wanted) => {
    set(wanted);
    change(wanted);
  };
  set(n);
  return { element, set };
}

/** How well two halves of the documents agree on so many topics, as a line above the slider. */
function curve(stability, numbers) {
  const known = stability.filter(({ n }) => numbers.includes(n));
  if (known.length < 3) return null;
  const figures = known.map(({ agreement }) => agreement);
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  const points = known.map(({ n, agreement }) => `${numbers.indexOf(n)},${(1 - (agreement - low) / Math.max(high - low, 1e-9)).toFixed(3)}`);
  return svg("svg", { class: "slider-curve", viewBox: `0 0 ${numbers.length - 1} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, svg("polyline", { points: points.join(" ") }));
}
