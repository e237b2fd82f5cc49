// Shares of topics over time: as lines, and as a table.

import { h } from "../core/dom.js";
import { moment, percent, whole } from "../core/format.js";
import { Figure } from "./figure.js";

/** A bin in words: "Jan 2024", "12 Jan 2024 – 19 Jan 2024". */
export function binText(edges, kind, place) {
  const span = edges.at(-1) - edges[0];
  const [from, to] = [edges[place], edges[place + 1]].map((edge) => moment(edge, kind, span));
  return from === to ? from : `${from} – ${to}`;
}

/** The lines of some topics; `series` are {id, name, values} over the bins of `course` ({edges, documents, kind}). */
export function courseFigure(course, series, options, signal) {
  const given = { label: courseLabel(course, series), parameters: () => courseParameters(series), file: "topics-over-time", ...options };
  return new Figure("/api/figures/time", given, signal);
}

export function courseParameters(series) {
  return { topics: series.map(({ id }) => id).join(",") };
}

/** What a figure of them says to those who do not see it. */
export function courseLabel({ edges, documents, kind }, series) {
  const ends = ({ name, values }) => {
    const known = values.filter((_, place) => documents[place]);
    return `${name} from ${percent(known[0])} to ${percent(known.at(-1))}`;
  };
  const span = `${binText(edges, kind, 0)} to ${binText(edges, kind, documents.length - 1)}`;
  return `Share of documents over time, ${span}: ${series.slice(0, 4).map(ends).join("; ")}. The table below has all figures.`;
}

/** The same as a table, to be opened. */
export function courseTable({ edges, documents, kind }, series) {
  const head = (text) => h("th", { scope: "col" }, text);
  const row = (count, place) =>
    h("tr", {}, h("th", { scope: "row" }, binText(edges, kind, place)), h("td", {}, whole(count)), series.map(({ values }) => h("td", {}, count ? percent(values[place]) : "–")));
  return h(
    "details",
    { class: "figures-behind" },
    h("summary", {}, "The same as a table"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Share of documents over time" }, h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, head("Time"), head("Documents"), series.map(({ name }) => head(name)))),
      h("tbody", {}, documents.map(row)))),
  );
}
