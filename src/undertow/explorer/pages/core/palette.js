// Colours of groups and of time. The first eight and the colours of time are those of undertow.plot.

import { isDark } from "./theme.js";

export const GROUPS = [
  "#1a73b8", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8f3ff0", "#b8a85c",
  "#7a4a26", "#7cb518", "#d62f6b", "#3b4cc0",
];
const LINES = 8; // colours of undertow.plot
const ON_DARK = { "#1a73b8": "#4297dd", "#7a4a26": "#b98257", "#3b4cc0": "#7887f2", "#8f3ff0": "#ab70f5" };
const TIME = [[0, "#4b3fd0"], [0.25, "#9c3fb0"], [0.5, "#d0506e"], [0.75, "#ef8a3a"], [1, "#f0b428"]];
const REST = ["#b4bbc0", "#4a565d"]; // light, dark

/** Colour of a group. */
export function groupColour(number) {
  const colour = GROUPS[number % GROUPS.length];
  return isDark() ? onDark(colour) : colour;
}

/** Colour of a line in figures, and whether it is one of the second round, which are dashed. */
export function lineColour(number) {
  return { colour: groupColour(number % LINES), dashed: number >= LINES };
}

/** A colour as it is on dark ground. */
export function onDark(colour) {
  return ON_DARK[colour] ?? colour;
}

/** Colour of what has none of its own. */
export function restColour() {
  return REST[isDark() ? 1 : 0];
}

/** Red, green and blue of #rrggbb, from 0 to 255. */
export function rgb(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Red, green and blue of a place in time, from 0 (early) to 1. */
export function timeRgb(share) {
  const place = Math.min(1, Math.max(0, share));
  const above = Math.max(1, TIME.findIndex(([at]) => at >= place));
  const [[from, first], [to, second]] = [TIME[above - 1], TIME[above]];
  const part = (place - from) / (to - from);
  const [one, other] = [rgb(first), rgb(second)];
  return one.map((value, channel) => Math.round(value + part * (other[channel] - value)));
}

/** The colours of time as a CSS gradient. */
export function timeGradient() {
  return `linear-gradient(90deg, ${TIME.map(([at, colour]) => `${colour} ${100 * at}%`).join(", ")})`;
}
