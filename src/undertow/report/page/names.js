// Where names stand on the map: beside the documents that they name, not on them, and not on each other.
"use strict";
report.placeNames = (() => {
  const CELL = 4, WAYS = 16, STEPS = [1, 1.35, 1.8, 2.4, 3.2], COVERED = 0.08, COARSE = 20, NEAR = 16, STRANGERS = 0.75;

  // How many points lie in a box, from sums over cells.
  function counted(points, size) {
    const columns = Math.ceil(size.width / CELL) + 1, rows = Math.ceil(size.height / CELL) + 1;
    const sums = new Int32Array(columns * rows);
    for (let at = 0; at < points.length; at += 2) {
      const column = 1 + Math.floor(points[at] / CELL), row = 1 + Math.floor(points[at + 1] / CELL);
      if (column > 0 && row > 0 && column < columns && row < rows) sums[row * columns + column] += 1;
    }
    for (let row = 1; row < rows; row += 1) {
      for (let column = 1; column < columns; column += 1) {
        const at = row * columns + column;
        sums[at] += sums[at - 1] + sums[at - columns] - sums[at - columns - 1];
      }
    }
    const cell = (value, most) => Math.max(0, Math.min(most - 1, Math.round(value / CELL)));
    return (box) => {
      const left = cell(box.left, columns), right = cell(box.left + box.width, columns);
      const top = cell(box.top, rows) * columns, bottom = cell(box.top + box.height, rows) * columns;
      return sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left];
    };
  }

  // The middle of the points where they lie closest, and the distance within which half of them lie.
  function middle(points, size) {
    const counts = new Int32Array(COARSE * COARSE);
    const cell = (value, most) => Math.max(0, Math.min(COARSE - 1, Math.floor(value / most * COARSE)));
    for (let at = 0; at < points.length; at += 2) {
      counts[cell(points[at + 1], size.height) * COARSE + cell(points[at], size.width)] += 1;
    }
    const fullest = counts.indexOf(Math.max(...counts));
    const row = Math.floor(fullest / COARSE), column = fullest % COARSE;
    let x = 0, y = 0, many = 0;
    for (let at = 0; at < points.length; at += 2) {
      if (Math.abs(cell(points[at], size.width) - column) > 1) continue;
      if (Math.abs(cell(points[at + 1], size.height) - row) > 1) continue;
      [x, y, many] = [x + points[at], y + points[at + 1], many + 1];
    }
    [x, y] = [x / many, y / many];
    const far = [];
    for (let at = 0; at < points.length; at += 2) far.push(Math.hypot(points[at] - x, points[at + 1] - y));
    far.sort((one, other) => one - other);
    return { x, y, spread: Math.max(far[far.length >> 1], 8) };
  }

  function* around(group, size) {
    const { x, y, spread } = middle(group.points, size);
    for (const step of STEPS) {
      for (let turn = 0; turn < WAYS; turn += 1) {
        const way = Math.ceil(turn / 2) * (turn % 2 ? 1 : -1), angle = -Math.PI / 2 + 2 * Math.PI * way / WAYS;
        const left = x + Math.cos(angle) * (step * spread + group.width / 2) - group.width / 2;
        const top = y + Math.sin(angle) * (step * spread + group.height / 2) - group.height / 2;
        const inside = left >= 0 && top >= 0 && left + group.width <= size.width && top + group.height <= size.height;
        if (inside) yield { left, top, width: group.width, height: group.height };
      }
    }
  }

  const wider = (box) => ({
    left: box.left - NEAR, top: box.top - NEAR, width: box.width + 2 * NEAR, height: box.height + 2 * NEAR,
  });
  const meet = (one, other) => one.left < other.left + other.width + 2 && other.left < one.left + one.width + 2
    && one.top < other.top + other.height + 1 && other.top < one.top + one.height + 1;

  // groups: {points: [x, y, x, y, ...], width, height}, the largest first. Gives a box for each, or null for no room.
  // Best is where few points lie under a name, and those around it are its own; among others' points it is not shown.
  return (groups, size) => {
    const everything = counted(groups.flatMap((group) => group.points), size);
    const taken = [];
    return groups.map((group) => {
      const many = group.points.length / 2;
      if (!many) return null;
      const own = counted(group.points, size);
      let best = null, least = Infinity, number = 0;
      for (const box of around(group, size)) {
        number += 1;
        if (own(box) > COVERED * many || taken.some((other) => meet(box, other))) continue;
        const near = wider(box), strangers = 1 - own(near) / Math.max(everything(near), 1);
        if (strangers > STRANGERS) continue;
        const cost = (own(box) + everything(box)) / many + 0.01 * number + 0.8 * strangers;
        if (cost < least) [best, least] = [box, cost];
      }
      if (best) taken.push(best);
      return best;
    });
  };
})();
