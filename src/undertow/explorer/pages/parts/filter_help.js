// The grammar of filters, in a small box that opens.

import { h } from "../core/dom.js";

const EXAMPLES = {
  label: ["label = 'sci.space'", "one label"],
  labels: ["label IN ('a', 'b')", "any of these"],
  text: ["text LIKE '%moon%'", "has these letters; _ is any one letter"],
  split: ["split != 'test'", "all but"],
  both: ["label = 'a' AND NOT (text LIKE '%b%')", "AND, OR, NOT and brackets"],
  none: ["label IS NULL", "has none; IS NOT NULL: has one"],
};
const TIMES = {
  day: ["time >= DATE '2026-01-31'", "from a day on"],
  moment: ["time < TIMESTAMP '2026-01-31 12:00:00'", "before a moment, in UTC"],
  number: ["time >= 2020", "numbers: = != < <= > >="],
  text: ["time LIKE '2026-%'", "times are texts here"],
};

/** A column as a filter has to name it. */
function written(name) {
  return /^[A-Za-z]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A <details> with the columns of this index and a few examples. */
export function filterHelp(columns) {
  const names = Object.keys(columns);
  const time = columns.time && (TIMES[columns.time] ?? TIMES.number);
  const rows = [...Object.values(EXAMPLES), time].filter(Boolean);
  return h(
    "details",
    { class: "filter-help" },
    h("summary", {}, "How filters are written"),
    h(
      "div",
      { class: "card" },
      h("p", { class: "card-note" }, "Columns: ", names.flatMap((name, place) => [place > 0 && ", ", h("code", {}, written(name)), ` (${columns[name]})`])),
      h("dl", {}, rows.map(([written, meaning]) => [h("dt", {}, h("code", {}, written)), h("dd", {}, meaning)])),
      h("p", { class: "card-note last" }, "A quote inside a text is written twice: 'it''s'. Columns have the names that the corpus gave them, in double quotes where they hold spaces or signs."),
    ),
  );
}
