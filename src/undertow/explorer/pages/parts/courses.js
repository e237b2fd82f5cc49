// Shares of topics over time, as lines.

import { moment, percent, percentTick, whole } from "../core/format.js";
import { chart } from "./chart.js";

/** The middle of each bin. */
export function middles(edges) {
  return edges.slice(1).map((edge, place) => (edge + edges[place]) / 2);
}

/** A bin in words: "Jan 2024", "12 Jan 2024 – 19 Jan 2024". */
export function binText(edges, kind, place) {
  const span = edges.at(-1) - edges[0];
  const [from, to] = [edges[place], edges[place + 1]].map((edge) => moment(edge, kind, span));
  return from === to ? from : `${from} – ${to}`;
}

/** Lines of {name, values, colour} over the bins of `course` ({edges, documents, kind}). */
export function courseChart(course, series, { height = 240 } = {}) {
  const { edges, documents, kind } = course;
  const span = edges.at(-1) - edges[0];
  const x = middles(edges);
  const shown = series.map((one) => ({ ...one, values: one.values.map((share, place) => (documents[place] ? share : null)) }));
  return chart({
    label: "Share of documents over time",
    x,
    series: shown,
    height,
    from0: true,
    area: series.length === 1,
    xTicks: x,
    xText: (value) => moment(value, kind, span),
    yText: percent,
    yTick: percentTick,
    placeText: (_, place) => `${binText(edges, kind, place)} (${whole(documents[place])})`,
  });
}
