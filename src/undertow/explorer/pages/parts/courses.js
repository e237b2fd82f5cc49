// Shares of topics over time: bins in words, and a table.

import { h } from "../core/dom.js";
import { moment, percent, whole } from "../core/format.js";

/** A bin in words: "Jan 2024", "12 Jan 2024 – 19 Jan 2024". */
export function binText(edges, kind, place) {
  const span = edges.at(-1) - edges[0];
  const [from, to] = [edges[place], edges[place + 1]].map((edge) => moment(edge, kind, span));
  return from === to ? from : `${from} – ${to}`;
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
