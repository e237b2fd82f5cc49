// Which colour and shape each point has: by topic, by label or by time; and what the legend says.

import { GROUPS, groupColour, restColour, rgb, timeRgb } from "../core/palette.js";

const COLOURED = GROUPS.length;
const FEW = 2 * COLOURED; // labels that all have a colour or a shape of their own
const SHAPES = ["circle", "diamond"];

/** Labels as groups: codes of points, and entries {code, name, count, colour, shape}, the most frequent first. */
export function labelGroups(points) {
  const ranked = counted(points.labels, points.placed);
  const coloured = ranked.length <= FEW ? ranked.length : COLOURED;
  const entries = ranked.slice(0, coloured).map(([code, count], place) => ({
    code, count, name: points.labelNames[code], colour: groupColour(place), shape: SHAPES[Math.floor(place / COLOURED)],
  }));
  return { codes: points.labels, entries, rest: ranked.slice(coloured), none: points.placed.length - ranked.reduce((sum, [, count]) => sum + count, 0) };
}

/** The topics of a cut as groups: every one has a colour; codes are their ids. */
export function topicGroups(points, tree, nodes, colours) {
  const places = tree.placesOf(nodes);
  const codes = Int32Array.from(points.leaves, (leaf) => (leaf >= 0 && places[leaf] >= 0 ? nodes[places[leaf]] : -1));
  const ranked = counted(codes, points.placed);
  const entries = ranked.map(([code, count]) => ({ code, count, name: tree.name(code), colour: colours.get(code), shape: "circle" }));
  return { codes, entries, rest: [], none: points.placed.length - ranked.reduce((sum, [, count]) => sum + count, 0) };
}

/** [code, how often], the most frequent first; -1 is no code. */
function counted(codes, placed) {
  const counts = new Map();
  for (const row of placed) if (codes[row] >= 0) counts.set(codes[row], (counts.get(codes[row]) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
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
  const known = new Map(entries.map((entry) => [entry.code, { colour: rgb(entry.colour), shape: SHAPES.indexOf(entry.shape), own: true }]));
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
