// Which colour and shape each point has: by topic, by label or by time; what the legend says; where names stand.

import { GROUPS, groupColour, restColour, rgb, timeRgb } from "../core/palette.js";

const COLOURED = GROUPS.length;
const FEW = 2 * COLOURED; // labels that all have a colour or a shape of their own
const LATTICE = 24; // cells each way in which a group's densest place is looked for
const SHAPES = ["circle", "diamond"];

/** Groups by topic or label: codes, and entries {code, name, count, colour, shape}, the most frequent first. */
export function groups(codes, placed, nameOf) {
  const counts = new Map();
  for (const row of placed) counts.set(codes[row], (counts.get(codes[row]) ?? 0) + 1);
  const ranked = [...counts].filter(([code]) => code >= 0).sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  const coloured = ranked.length <= FEW ? ranked.length : COLOURED;
  const entries = ranked.slice(0, coloured).map(([code, count], place) => ({
    code, count, name: nameOf(code), place, shape: SHAPES[Math.floor(place / COLOURED)],
  }));
  return { codes, entries, rest: ranked.slice(coloured), none: counts.get(-1) ?? 0 };
}

/** Colour of an entry, as the theme has it. */
export function entryColour(entry) {
  return groupColour(entry.place);
}

/** Bytes for the painter: colours, shapes and the order of drawing. `bright` says which rows stand out (null: all). */
export function painted(points, look, bright, alpha) {
  const colours = new Uint8Array(4 * points.n);
  const shapes = new Uint8Array(points.n);
  const back = [];
  const front = [];
  const tint = look.kind === "time" ? timed(points, look) : grouped(look);
  for (const row of points.placed) {
    const { colour, shape, own } = tint(row);
    const lit = bright === null || bright(row);
    colours.set(colour, 4 * row);
    colours[4 * row + 3] = Math.round(255 * (lit ? (own ? alpha : 0.75 * alpha) : 0.09 * (0.4 + alpha)));
    shapes[row] = shape;
    (lit && (own || bright !== null) ? front : back).push(row);
  }
  return [colours, shapes, Uint32Array.from(back.concat(front))];
}

function grouped({ groups: { codes, entries } }) {
  const rest = { colour: rgb(restColour()), shape: 0, own: false };
  const known = new Map(entries.map((entry) => [entry.code, { colour: rgb(entryColour(entry)), shape: SHAPES.indexOf(entry.shape), own: true }]));
  return (row) => known.get(codes[row]) ?? rest;
}

function timed(points, { early, late }) {
  const rest = { colour: rgb(restColour()), shape: 0, own: false };
  const steps = Array.from({ length: 257 }, (_, step) => ({ colour: timeRgb(step / 256), shape: 0, own: true }));
  return (row) => {
    const time = points.times[row];
    return Number.isNaN(time) ? rest : steps[Math.round(256 * Math.min(1, Math.max(0, (time - early) / (late - early || 1))))];
  };
}

/** Early and late: the times between which all but a few documents lie. */
export function timeRange(points) {
  const known = Float64Array.from(points.placed, (row) => points.times[row]).filter((time) => !Number.isNaN(time)).sort();
  if (!known.length) return null;
  const at = (share) => known[Math.round(share * (known.length - 1))];
  return { early: at(0.01), late: at(0.99) };
}

/** Where the name of each group stands: the middle of the points around its densest cell. */
export function anchors(points, { codes, entries }) {
  const cells = new Map(entries.map(({ code }) => [code, new Map()]));
  for (const row of points.placed) {
    const own = cells.get(codes[row]);
    if (!own) continue;
    const key = lattice(points.positions[2 * row + 1]) * LATTICE + lattice(points.positions[2 * row]);
    const sum = own.get(key) ?? [0, 0, 0];
    own.set(key, [sum[0] + 1, sum[1] + points.positions[2 * row], sum[2] + points.positions[2 * row + 1]]);
  }
  return entries.map((entry) => ({ entry, ...densest(cells.get(entry.code)) }));
}

function densest(cells) {
  let best = [0, 0.5, 0.5];
  for (const key of cells.keys()) {
    const sum = [0, 0, 0];
    for (const near of [0, 1, -1, LATTICE, -LATTICE]) (cells.get(key + near) ?? []).forEach((value, place) => (sum[place] += value));
    if (sum[0] > best[0]) best = sum;
  }
  return { x: best[1] / Math.max(1, best[0]), y: best[2] / Math.max(1, best[0]) };
}

function lattice(place) {
  return Math.min(LATTICE - 1, Math.floor(place * LATTICE));
}
