// The points of the map: read from the server's bytes, found by place, by box and by lasso.

const KINDS = { float32: Float32Array, float64: Float64Array, int16: Int16Array, int32: Int32Array };
const CELLS = 192; // of the grid, each way

/** Points from the answer of /api/map: {n, positions, leaves, labels, times, names of labels, ...}. */
export function readPoints(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const { name, type, shape, offset } of header.arrays) {
    const size = shape.reduce((product, one) => product * one, 1);
    const start = 4 + length + offset;
    arrays[name] = new KINDS[type](buffer.slice(start, start + size * KINDS[type].BYTES_PER_ELEMENT));
  }
  const placed = [];
  for (let row = 0; row < header.n; row++) {
    if (Number.isFinite(arrays.positions[2 * row]) && Number.isFinite(arrays.positions[2 * row + 1])) placed.push(row);
  }
  return new Points(header, arrays, Uint32Array.from(placed));
}

class Points {
  constructor(header, { positions, leaves, labels, times }, placed) {
    this.n = header.n;
    this.labelNames = header.labels;
    this.timeKind = header.time_kind;
    this.sampledFrom = header.sampled_from;
    Object.assign(this, { positions, leaves, labels, times, placed });
    this.arrange();
  }

  /** Rows sorted by the cell of a grid that they lie in. */
  arrange() {
    const starts = new Uint32Array(CELLS * CELLS + 1);
    for (const row of this.placed) starts[this.cellOf(row) + 1]++;
    for (let cell = 0; cell < CELLS * CELLS; cell++) starts[cell + 1] += starts[cell];
    const next = starts.slice();
    this.inCells = new Uint32Array(this.placed.length);
    for (const row of this.placed) this.inCells[next[this.cellOf(row)]++] = row;
    this.starts = starts;
  }

  cellOf(row) {
    return cell(this.positions[2 * row + 1]) * CELLS + cell(this.positions[2 * row]);
  }

  /** Calls back with the row and place of each point in a box. */
  within(left, bottom, right, top, call) {
    const { positions, starts, inCells } = this;
    for (let line = cell(bottom); line <= cell(top); line++) {
      const last = starts[line * CELLS + cell(right) + 1];
      for (let place = starts[line * CELLS + cell(left)]; place < last; place++) {
        const row = inCells[place];
        const x = positions[2 * row];
        const y = positions[2 * row + 1];
        if (x >= left && x <= right && y >= bottom && y <= top) call(row, x, y);
      }
    }
  }

  /** The row nearest to a place, at most `wide` and `tall` away each way; -1 for none. */
  nearest(x, y, wide, tall, allowed = () => true) {
    let best = -1;
    let least = 1;
    this.within(x - wide, y - tall, x + wide, y + tall, (row, px, py) => {
      const distance = ((px - x) / wide) ** 2 + ((py - y) / tall) ** 2;
      if (distance < least && allowed(row)) [best, least] = [row, distance];
    });
    return best;
  }

  /** Rows inside a polygon of [x, y]. */
  inside(polygon) {
    const border = Float64Array.from(polygon.flat());
    const xs = polygon.map(([x]) => x);
    const ys = polygon.map(([, y]) => y);
    const found = [];
    this.within(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), (row, x, y) => {
      if (contains(border, x, y)) found.push(row);
    });
    return found;
  }
}

function cell(place) {
  return Math.min(CELLS - 1, Math.max(0, Math.floor(place * CELLS)));
}

/** Whether a place is in a polygon (x, y, x, y, ...): a ray from it crosses the border an odd number of times. */
export function contains(border, x, y) {
  let inside = false;
  for (let at = 0, before = border.length - 2; at < border.length; before = at, at += 2) {
    const ay = border[at + 1];
    const by = border[before + 1];
    if (ay > y !== by > y && x < ((border[before] - border[at]) * (y - ay)) / (by - ay) + border[at]) inside = !inside;
  }
  return inside;
}
