// Which topics are named on the map, and where: few at a distance, more when near, each at its densest place.

const LATTICE = 48; // cells each way in which a topic's densest place is looked for
const STEP = 1.5; // from one level of names to the next
const GROWTH = 1.2; // how the number of names grows with the zoom
const MOST = 16; // names at a distance, and where there is little room
const MOST_NARROW = 10;
const NARROW = 500; // pixels

/** The level of names at a zoom: names change with it, and not with every turn of the wheel. */
export function levelOf(zoom) {
  return Math.max(0, Math.floor((GROWTH * Math.log(Math.max(1, zoom))) / Math.log(STEP) + 1e-9));
}

/** How many topics are named at a level, on a stage of this width, when n topics have colours. */
export function namedAt(level, n, width) {
  return Math.round(Math.min(n, width < NARROW ? MOST_NARROW : MOST) * STEP ** level);
}

/** Places of topics on the map; each is looked for once. */
export class TopicPlaces {
  constructor(points, tree) {
    Object.assign(this, { points, tree, known: new Map() });
    const starts = new Uint32Array(tree.leaves.length + 1);
    for (const row of points.placed) if (points.leaves[row] >= 0) starts[points.leaves[row] + 1]++;
    for (let leaf = 0; leaf < tree.leaves.length; leaf++) starts[leaf + 1] += starts[leaf];
    const next = starts.slice();
    this.rows = new Uint32Array(starts.at(-1));
    for (const row of points.placed) if (points.leaves[row] >= 0) this.rows[next[points.leaves[row]]++] = row;
    this.starts = starts;
  }

  /** The topics of a cut that have points: [{node, name, x, y}], the widest first. */
  of(n) {
    const { tree } = this;
    return tree.cut(tree.count(n)).map((node) => ({ node, name: tree.name(node), ...this.at(node) })).filter(({ x }) => x !== undefined);
  }

  at(node) {
    if (!this.known.has(node)) this.known.set(node, densest(this.points.positions, this.inside(node)));
    return this.known.get(node);
  }

  inside(node) {
    return this.tree.rowsOf(node).flatMap((leaf) => Array.from(this.rows.subarray(this.starts[leaf], this.starts[leaf + 1])));
  }
}

/** The middle of the points around the cell with the most of them; {} for no points. */
export function densest(positions, rows) {
  const cells = new Map();
  for (const row of rows) {
    const key = lattice(positions[2 * row + 1]) * LATTICE + lattice(positions[2 * row]);
    const sum = cells.get(key) ?? [0, 0, 0];
    cells.set(key, [sum[0] + 1, sum[1] + positions[2 * row], sum[2] + positions[2 * row + 1]]);
  }
  let best = [0, 0, 0];
  for (const key of cells.keys()) {
    const sum = [0, 0, 0];
    for (const line of [-LATTICE, 0, LATTICE]) {
      for (const side of [-1, 0, 1]) (cells.get(key + line + side) ?? []).forEach((value, place) => (sum[place] += value));
    }
    if (sum[0] > best[0]) best = sum;
  }
  return best[0] ? { x: best[1] / best[0], y: best[2] / best[0] } : {};
}

function lattice(place) {
  return Math.min(LATTICE - 1, Math.max(0, Math.floor(place * LATTICE)));
}

/**
 * Boxes for names so that none covers another: each in the middle of its place, or a little aside of it, or not at all.
 * Names are {px, py, width, height}, the most important first; `kept` are boxes where none may be. Gives the left and top of
 * each, or null.
 */
export function arranged(names, width, height, kept = [], gap = 3) {
  const taken = [...kept];
  return names.map(({ px, py, width: wide, height: tall }) => {
    if (px < 0 || py < 0 || px > width || py > height) return null;
    const left = Math.max(gap, Math.min(width - wide - gap, px - wide / 2));
    for (const shift of [0, -1, 1, -2, 2]) {
      const top = py - tall / 2 + shift * (tall / 2 + gap);
      const box = [left - gap, top - gap / 2, left + wide + gap, top + tall + gap / 2];
      if (box[1] < 0 || box[3] > height) continue;
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      return [left, top];
    }
    return null;
  });
}
