// Lines over an axis, drawn in SVG: a readout follows the mouse, the finger or the arrow keys.

import { fill, h, svg } from "../core/dom.js";
import { figure } from "../core/format.js";

const MARGIN = { top: 10, right: 12, bottom: 24, left: 46 };

/**
 * A chart that is as wide as its place.
 *
 * options: label (for screen readers), x (numbers), series ({name, values, colour?, columns?}), height, xText and yText
 * (number to text; yTick beside the axis), xTicks (numbers, or null), from0 (whether the vertical axis begins at 0), area, wholeX and wholeY
 * (whether there is nothing between whole numbers).
 */
export function chart(options) {
  const box = h("div", { class: "chart", tabindex: "0", role: "img", "aria-label": described(options) });
  const drawing = { options: { height: 200, xText: figure, yText: figure, ...options }, box, place: null };
  const observer = new ResizeObserver(() => draw(drawing));
  observer.observe(box);
  box.addEventListener("pointermove", (event) => point(drawing, nearest(drawing, event)));
  box.addEventListener("pointerleave", () => point(drawing, null));
  box.addEventListener("blur", () => point(drawing, null));
  box.addEventListener("keydown", (event) => stepped(drawing, event));
  return box;
}

/** Numbers between two at round places. */
export function ticks(low, high, wanted, least = 0) {
  const raw = Math.max(least, (high - low) / Math.max(1, wanted));
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? raw;
  const found = [];
  for (let at = Math.ceil(low / size - 1e-9) * size; at <= high + size * 1e-6; at += size) found.push(Math.abs(at) < size * 1e-9 ? 0 : at);
  return found;
}

function described({ label, x, series, xText = figure, yText = figure }) {
  const ends = ({ name, values }) => {
    const known = values.filter((value) => value !== null && Number.isFinite(value));
    return known.length ? `${name} from ${yText(known[0])} to ${yText(known.at(-1))}` : `${name}: nothing`;
  };
  return `${label}, ${xText(x[0])} to ${xText(x.at(-1))}: ${series.slice(0, 4).map(ends).join("; ")}`;
}

function draw(drawing) {
  const { options, box } = drawing;
  const width = Math.floor(box.clientWidth);
  if (width < 40) return;
  const { x, series, height } = options;
  const known = series.flatMap(({ values }) => values).filter((value) => value !== null && Number.isFinite(value));
  const scale = scales(options, width, known);
  const art = svg("svg", { height, viewBox: `0 0 ${width} ${height}` });
  art.append(...axes(options, scale, width));
  for (const one of series) art.append(...(one.columns ? columns(one, x, scale) : lines(one, x, scale, options)));
  const pointer = svg("g", {});
  art.append(pointer);
  const readout = h("div", { class: "readout", hidden: true });
  fill(box, art, readout);
  Object.assign(drawing, { scale, pointer, readout, width });
  if (drawing.place !== null) point(drawing, drawing.place);
}

function scales({ x, height, from0, wholeY }, width, known) {
  let low = from0 ? 0 : Math.min(...known);
  let high = Math.max(...known, wholeY ? 1 : from0 ? 1e-9 : -Infinity);
  if (!(high > low)) [low, high] = [low - Math.abs(low) * 0.1 - 1e-6, high + Math.abs(high) * 0.1 + 1e-6];
  const pad = from0 ? 0 : 0.06 * (high - low);
  [low, high] = [low - pad, high + (high - low) * 0.06];
  const [left, right] = [x[0], x.at(-1)];
  const inner = width - MARGIN.left - MARGIN.right;
  const tall = height - MARGIN.top - MARGIN.bottom;
  return {
    low,
    high,
    left,
    right,
    bottom: height - MARGIN.bottom,
    x: (value) => MARGIN.left + (right > left ? ((value - left) / (right - left)) * inner : inner / 2),
    y: (value) => MARGIN.top + tall - ((value - low) / (high - low)) * tall,
  };
}

function axes({ xText, yText, yTick, xTicks, x, height, wholeX, wholeY }, scale, width) {
  const found = [];
  for (const at of ticks(scale.low, scale.high, Math.max(2, height / 55), wholeY ? 1 : 0)) {
    const y = scale.y(at);
    found.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }));
    found.push(svg("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, (yTick ?? yText)(at)));
  }
  const wanted = Math.max(2, Math.floor(width / 110));
  const places = xTicks ? thinned(xTicks, wanted) : ticks(scale.left, scale.right, wanted, wholeX ? 1 : 0);
  let end = -Infinity; // of the text before, so that none runs into another
  for (const at of places.length ? places : [x[0]]) {
    const place = scale.x(at);
    const text = xText(at);
    const half = text.length * 3.1;
    const middle = Math.min(width - half - 2, Math.max(half + 2, place));
    if (middle - half < end + 8) continue;
    end = middle + half;
    found.push(svg("text", { x: middle, y: height - 6, "text-anchor": "middle" }, text));
  }
  return found;
}

function thinned(values, most) {
  const stride = Math.ceil(values.length / most);
  return values.filter((_, place) => place % stride === 0);
}

function lines({ values, colour }, x, scale, { area }) {
  const style = colour ? { "--c": colour } : {};
  const pieces = [];
  let path = "";
  values.forEach((value, place) => {
    if (value === null || !Number.isFinite(value)) return;
    path += `${path ? "L" : "M"}${scale.x(x[place]).toFixed(1)} ${scale.y(value).toFixed(1)}`;
  });
  if (!path) return pieces;
  if (area) {
    const known = x.filter((_, place) => Number.isFinite(values[place]) && values[place] !== null);
    const close = `L${scale.x(known.at(-1)).toFixed(1)} ${scale.bottom}L${scale.x(known[0]).toFixed(1)} ${scale.bottom}Z`;
    pieces.push(svg("path", { class: "area", d: path + close, style }));
  }
  pieces.push(svg("path", { class: "series", d: path, style }));
  if (!path.includes("L")) {
    const [, at, y] = /M([\d.-]+) ([\d.-]+)/.exec(path);
    pieces.push(svg("circle", { class: "dot", cx: at, cy: y, r: 4, style }));
  }
  return pieces;
}

function columns({ values, colour }, x, scale) {
  const style = colour ? { "--c": colour } : {};
  const wide = Math.max(1, ((scale.x(x.at(-1)) - scale.x(x[0])) / Math.max(1, x.length - 1)) * 0.6);
  return values.map((value, place) => {
    const y = scale.y(value ?? 0);
    const height = Math.max(value > 0 ? 1.5 : 0, scale.bottom - y);
    return svg("rect", { class: "column", x: scale.x(x[place]) - wide / 2, y: scale.bottom - height, width: wide, height, rx: 1.5, style });
  });
}

function nearest({ options, scale, box }, event) {
  if (!scale) return null;
  const at = event.clientX - box.getBoundingClientRect().left;
  let best = 0;
  options.x.forEach((value, place) => {
    if (Math.abs(scale.x(value) - at) < Math.abs(scale.x(options.x[best]) - at)) best = place;
  });
  return best;
}

function stepped(drawing, event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const last = drawing.options.x.length - 1;
  point(drawing, Math.min(last, Math.max(0, (drawing.place ?? (by > 0 ? -1 : last + 1)) + by)));
}

/** Shows what the lines say at a place. */
function point(drawing, place) {
  const { options, scale, pointer, readout, width } = drawing;
  drawing.place = place;
  if (!scale) return;
  readout.hidden = place === null;
  if (place === null) {
    fill(pointer);
    return;
  }
  const at = scale.x(options.x[place]);
  const there = options.series.filter(({ values }) => values[place] !== null && Number.isFinite(values[place]));
  fill(
    pointer,
    svg("line", { class: "rule", x1: at, x2: at, y1: MARGIN.top, y2: scale.bottom }),
    there.filter(({ columns: bars }) => !bars).map(({ values, colour }) =>
      svg("circle", { class: "dot", cx: at, cy: scale.y(values[place]), r: 4, style: colour ? { "--c": colour } : {} })),
  );
  const rows = [...there].sort((one, other) => other.values[place] - one.values[place]).slice(0, 10);
  fill(
    readout,
    h("strong", {}, (options.placeText ?? options.xText)(options.x[place], place)),
    h("ul", {}, rows.map(({ name, values, colour }) =>
      h("li", {},
        options.series.length > 1 && h("span", { class: "swatch", style: { "--c": colour ?? "var(--accent)" } }),
        h("span", {}, name), h("span", {}, options.yText(values[place]))))),
  );
  const left = at > width / 2 ? at - readout.offsetWidth - 12 : at + 12;
  readout.style.transform = `translate(${Math.max(0, left)}px, ${MARGIN.top}px)`;
}
