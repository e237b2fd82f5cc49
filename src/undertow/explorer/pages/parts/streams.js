// Shares of topics over time as streams: areas upon each other, with dates on the axis. Drawn here, so that another
// number of topics needs no request; the table beside them has all figures.

import { fill, h, svg } from "../core/dom.js";
import { counted, moment, percent } from "../core/format.js";
import { binText } from "./courses.js";

const LEFT = 44;
const FOOT = 24;
const TOP = 6;
const A_LABEL = 92; // pixels that a date takes
const NAME = 16; // pixels that a name is high
const A_LETTER = 7; // pixels that a letter of it is wide, at most

export class Streams {
  /** `course` has edges, documents and kind; `scaled` fills the height with the largest sum instead of all documents. */
  constructor(course, { height = 420, scaled = false, pick = null } = {}, signal) {
    Object.assign(this, { course, height, scaled, pick, series: [] });
    this.drawing = svg("svg", { class: "streams", height: String(height), role: "img" });
    this.tip = h("div", { class: "map-tip", hidden: true, role: "status" });
    this.element = h("div", { class: "streams-frame", style: { "--h": `${height}px` } }, this.drawing, this.tip);
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.disconnect());
    this.element.addEventListener("pointermove", (event) => this.tell(event), { signal });
    this.element.addEventListener("pointerleave", () => this.tell(null), { signal });
  }

  /** Shows series of {id, name, values}, the first at the bottom; `colour` gives that of an id. */
  show(series, colour) {
    Object.assign(this, { series, colour });
    this.draw();
  }

  draw() {
    const width = this.element.clientWidth;
    if (!width || !this.series.length) return;
    const { edges } = this.course;
    this.across = (time) => LEFT + ((time - edges[0]) / (edges.at(-1) - edges[0])) * (width - LEFT - 8);
    const sums = this.course.documents.map((_, bin) => this.series.reduce((sum, { values }) => sum + values[bin], 0));
    this.high = this.scaled ? Math.max(1e-6, ...sums) * 1.05 : 1;
    this.up = (share) => this.height - FOOT - (share / this.high) * (this.height - FOOT - TOP);
    const middles = edges.slice(1).map((edge, bin) => this.across((edge + edges[bin]) / 2));
    this.drawing.setAttribute("width", String(width));
    this.drawing.setAttribute("aria-label", label(this.course, this.series));
    fill(this.drawing, this.grid(width), this.areas(middles, width), this.dates(width));
  }

  /** One area a series, from the middle of one bin to that of the next, and on to both ends. */
  areas(middles, width) {
    const base = middles.map(() => 0);
    const named = [];
    const shapes = this.series.map((one) => {
      const lower = base.slice();
      one.values.forEach((value, bin) => (base[bin] += this.course.documents[bin] ? value : 0));
      const upper = base.slice();
      named.push(this.nameOf(one, lower, upper, middles));
      const ends = (list) => [[LEFT, list[0]], ...list.map((value, bin) => [middles[bin], value]), [width - 8, list.at(-1)]];
      const points = [...ends(upper), ...ends(lower).reverse()].map(([x, share]) => `${x.toFixed(1)},${this.up(share).toFixed(1)}`);
      return svg("polygon", { class: "stream", points: points.join(" "), fill: this.colour(one.id), "data-id": String(one.id), on: this.pick ? { click: () => this.pick(one.id) } : {} });
    });
    return [shapes, named];
  }

  /** Its name where it is widest, if it fits in there as a whole; so no name lies on another stream. */
  nameOf({ name }, lower, upper, middles) {
    if (this.series.length < 2) return null;
    const half = A_LETTER * name.length / 2;
    const order = upper.map((_, bin) => bin).sort((one, other) => upper[other] - lower[other] - (upper[one] - lower[one]));
    for (const bin of order) {
      const x = middles[bin];
      const y = (this.up(lower[bin]) + this.up(upper[bin])) / 2;
      const clear = (at) => this.up(between(upper, middles, at)) < y - NAME / 2 && this.up(between(lower, middles, at)) > y + NAME / 2;
      if (x - half < LEFT || x + half > middles.at(-1) + middles[0] - LEFT) continue;
      if ([-1, -0.66, -0.33, 0, 0.33, 0.66, 1].every((share) => clear(x + share * half))) return svg("text", { class: "stream-name", x, y: y + 4 }, name);
    }
    return null;
  }

  grid(width) {
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((one) => this.high / one <= 5) ?? 0.5;
    const lines = [];
    for (let share = 0; share <= this.high + 1e-9; share += step) lines.push(share);
    return lines.map((share) => svg("g", { class: "stream-grid" },
      svg("line", { x1: LEFT, x2: width - 8, y1: this.up(share), y2: this.up(share) }),
      svg("text", { x: LEFT - 6, y: this.up(share) + 4 }, `${Math.round(100 * share)} %`)));
  }

  dates(width) {
    const { edges, kind } = this.course;
    const every = Math.max(1, Math.ceil(edges.length / Math.max(2, Math.floor((width - LEFT) / A_LABEL))));
    const span = edges.at(-1) - edges[0];
    return edges.filter((_, place) => place % every === 0 && this.across(edges[place]) < width - A_LABEL / 2).map((edge) =>
      svg("g", { class: "stream-date" },
        svg("line", { x1: this.across(edge), x2: this.across(edge), y1: this.height - FOOT, y2: this.height - FOOT + 4 }),
        svg("text", { x: this.across(edge), y: this.height - 5 }, moment(edge, kind, span))));
  }

  tell(event) {
    this.tip.hidden = true;
    const id = event?.target.dataset?.id;
    if (id === undefined) return;
    const { edges, documents, kind } = this.course;
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const bin = Math.max(0, edges.findLastIndex((edge, place) => place < documents.length && this.across(edge) <= x));
    const one = this.series.find((given) => String(given.id) === id);
    fill(this.tip, h("strong", {}, one.name), h("p", { class: "figure" }, binText(edges, kind, bin)),
      h("p", {}, documents[bin] ? `${percent(one.values[bin])} of ${counted(documents[bin], "document")}` : "no documents"));
    this.tip.hidden = false;
    const left = Math.min(box.width - this.tip.offsetWidth - 8, x + 14);
    this.tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(4, event.clientY - box.top - this.tip.offsetHeight - 10)}px)`;
  }
}

/** What it says to those who do not see it. */
function label({ edges, documents, kind }, series) {
  const last = documents.length - 1;
  const ends = ({ name, values }) => `${name} from ${percent(values[0])} to ${percent(values[last])}`;
  return `Share of documents over time, ${binText(edges, kind, 0)} to ${binText(edges, kind, last)}: ${series.slice(0, 4).map(ends).join("; ")}. The table below has all figures.`;
}

/** The value at a place between the middles of two bins. */
function between(values, middles, at) {
  const next = middles.findIndex((middle) => middle >= at);
  if (next <= 0) return values[next === 0 ? 0 : values.length - 1];
  const part = (at - middles[next - 1]) / (middles[next] - middles[next - 1]);
  return values[next - 1] + part * (values[next] - values[next - 1]);
}
