// Curves: the course of training, precision and recall, how many topics.
"use strict";
(() => {
  const { svg, ticks, tickText, written, keepDrawn, show, hide } = report;
  const HEIGHT = 190, TOP = 10, BOTTOM = 40, LEFT = 52, RIGHT = 12;

  function range(values, withZero) {
    let low = Math.min(...values), high = Math.max(...values);
    if (withZero) low = Math.min(low, 0);
    if (low === high) [low, high] = [low - Math.abs(low || 1) / 10, high + Math.abs(high || 1) / 10];
    return [low, high];
  }

  function draw(place, curve, width) {
    const points = curve.x.map((x, place) => [x, curve.y[place]]).filter((point) => point[1] !== null);
    const [left, right] = range(points.map((point) => point[0]), false);
    const [low, high] = range(points.map((point) => point[1]), curve.marked !== null || curve.percent);
    const across = (x) => LEFT + (x - left) / (right - left) * (width - LEFT - RIGHT);
    const up = (y) => HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - BOTTOM - TOP);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": curve.title });
    const rows = ticks(low, high, 4), columns = ticks(left, right, width / 90);
    for (const y of rows) {
      picture.append(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: up(y), y2: up(y) }));
      const step = rows.length > 1 ? rows[1] - rows[0] : 1;
      const text = tickText(y, step, curve.percent);
      picture.append(svg("text", { x: LEFT - 6, y: up(y) + 4, "text-anchor": "end" }, text));
    }
    for (const x of columns) {
      const step = columns.length > 1 ? columns[1] - columns[0] : 1;
      const text = tickText(x, step, curve.of === "recall");
      picture.append(svg("text", { x: across(x), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, text));
    }
    picture.append(svg("text", { x: (LEFT + width) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, curve.of));
    const path = points.map(([x, y], place) => (place ? "L" : "M") + across(x).toFixed(1) + " " + up(y).toFixed(1));
    picture.append(svg("path", { class: "curve", d: path.join(""), style: `stroke: ${curve.colour}` }));
    const marked = points.find((point) => point[0] === curve.marked);
    if (marked) picture.append(svg("circle", { class: "marked", cx: across(marked[0]), cy: up(marked[1]), r: 6 }));
    const dot = svg("circle", { r: 4, cx: -20, cy: -20, style: `fill: ${curve.colour}` });
    picture.append(dot);
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * width;
      const near = points.reduce((best, point) =>
        Math.abs(across(point[0]) - at) < Math.abs(across(best[0]) - at) ? point : best);
      dot.setAttribute("cx", across(near[0]));
      dot.setAttribute("cy", up(near[1]));
      const x = curve.of === "recall" ? written(near[0], 0, true) : near[0];
      show(event, [`${curve.of} ${x}: ${written(near[1], curve.digits, curve.percent)}`]);
    });
    picture.addEventListener("pointerleave", () => { dot.setAttribute("cx", -20); hide(); });
    place.replaceChildren(picture);
  }

  for (const place of document.querySelectorAll("[data-chart]")) {
    const curve = report.data.charts[place.dataset.chart];
    if (curve.y.some((value) => value !== null)) keepDrawn(place, (width) => draw(place, curve, width));
  }
})();
