// Colours of topics, of labels and of time. The first eight of labels and the colours of time are those of undertow.plot.

import { isDark } from "./theme.js";

export const GROUPS = [
  "#1a73b8", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8f3ff0", "#b8a85c",
  "#7a4a26", "#7cb518", "#d62f6b", "#3b4cc0",
];
const ON_DARK = { "#1a73b8": "#4297dd", "#7a4a26": "#b98257", "#3b4cc0": "#7887f2", "#8f3ff0": "#ab70f5" };
const TIME = [[0, "#4b3fd0"], [0.25, "#9c3fb0"], [0.5, "#d0506e"], [0.75, "#ef8a3a"], [1, "#f0b428"]];
const REST = ["#b4bbc0", "#4a565d"]; // light, dark

/** Colour of a group. */
export function groupColour(number) {
  const colour = GROUPS[number % GROUPS.length];
  return isDark() ? onDark(colour) : colour;
}

/** A colour as it is on dark ground. */
export function onDark(colour) {
  return ON_DARK[colour] ?? colour;
}

const LIGHTNESS = [[0.56, 0.68, 0.47], [0.71, 0.8, 0.61]]; // light, dark: neighbours on the circle differ in it

/** Colours of the topics of a cut by node: hues along the tree, so that those of one branch are related. */
export function topicColours(tree, nodes) {
  const round = [...nodes].sort((one, other) => tree.hue(one) - tree.hue(other));
  const steps = LIGHTNESS[isDark() ? 1 : 0];
  return new Map(round.map((node, place) => [node, shade(steps[place % steps.length], tree.hue(node))]));
}

/** Colour of one topic, whatever the cut. */
export function topicColour(tree, node) {
  return shade(LIGHTNESS[isDark() ? 1 : 0][0], tree.hue(node));
}

/** A hue at a lightness; yellow is lighter than others, or else it is brown. */
function shade(lightness, angle) {
  const hue = angle % 360;
  return oklch(lightness + (isDark() ? 0.03 : 0.12) * Math.exp(-(((hue - 92) / 32) ** 2)), 0.15, hue);
}

/** #rrggbb of a colour in OKLCH; chroma gives way where a screen cannot show it. */
function oklch(lightness, chroma, hue) {
  for (let c = chroma; c > 0; c -= 0.01) {
    const found = linear(lightness, c * Math.cos((hue * Math.PI) / 180), c * Math.sin((hue * Math.PI) / 180));
    if (found.every((value) => value >= -0.0005 && value <= 1.0005)) return hex(found);
  }
  return hex(linear(lightness, 0, 0));
}

function linear(lightness, a, b) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function hex(channels) {
  const byte = (value) => {
    const sure = Math.min(1, Math.max(0, value));
    return Math.round(255 * (sure <= 0.0031308 ? 12.92 * sure : 1.055 * sure ** (1 / 2.4) - 0.055));
  };
  return `#${channels.map((value) => byte(value).toString(16).padStart(2, "0")).join("")}`;
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
