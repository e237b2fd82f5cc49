// Beside the map: the legend, and the documents that were drawn around.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, moment, whole } from "../core/format.js";
import { timeGradient } from "../core/palette.js";
import { linkBars } from "../parts/bars.js";
import { documentItem } from "../parts/documents.js";
import { failed } from "../parts/states.js";
import { topicLink } from "../core/router.js";
import { topicCount, topicTree } from "../core/source.js";

const PAGE = 50; // documents listed at a time
const KEPT = 2000;

/** Groups as buttons that show one alone; for time, a scale. */
export function legend(look, points, alone, toggle) {
  if (look.kind === "time") return scale(look, points);
  const { entries, rest, none } = look.groups;
  const others = rest.reduce((sum, [, count]) => sum + count, 0);
  const row = (entry) =>
    h("li", {}, h(
      "button",
      { type: "button", class: "legend-entry", "aria-pressed": String(alone === entry.code), title: `Show ${entry.name} alone`, on: { click: () => toggle(entry.code) } },
      h("span", { class: `swatch ${entry.shape}`, style: { "--c": entry.colour } }),
      h("span", { class: "legend-name" }, entry.name),
      h("span", { class: "figure" }, whole(entry.count)),
    ));
  const plain = (name, count) =>
    h("li", { class: "legend-entry" }, h("span", { class: "swatch", style: { "--c": "var(--rest)" } }), h("span", { class: "legend-name" }, name), h("span", { class: "figure" }, whole(count)));
  return h(
    "ul",
    { class: "legend" },
    entries.map(row),
    others > 0 && plain(counted(rest.length, `other ${look.kind}`), others),
    none > 0 && plain(look.kind === "topic" ? "dropped topics" : `no ${look.kind}`, none),
  );
}

function scale({ early, late }, points) {
  const text = (time) => moment(time, points.timeKind, late - early);
  return h(
    "div",
    { class: "legend-scale" },
    h("span", { class: "gradient", "aria-hidden": "true", style: { background: timeGradient() } }),
    h("span", {}, text(early)),
    h("span", {}, text(late)),
  );
}

/** Documents of the map by their rows; each is fetched once. */
export class Documents {
  constructor(signal) {
    Object.assign(this, { signal, known: new Map() });
  }

  async some(rows) {
    const missing = rows.filter((row) => !this.known.has(row));
    if (missing.length) {
      if (this.known.size > KEPT) this.known.clear();
      const { documents } = await get("/api/map/documents", { rows: missing.join(",") }, { signal: this.signal, fresh: true });
      for (const found of documents) this.known.set(found.row, found);
    }
    return rows.map((row) => this.known.get(row)).filter(Boolean);
  }
}

/** A function from the row of a leaf to the topic of the cut that it lies in, or null. */
export function topicsByLeaf() {
  const nodes = topicTree().cut(topicCount());
  const places = topicTree().placesOf(nodes);
  return (leaf) => (leaf >= 0 && places[leaf] >= 0 ? nodes[places[leaf]] : null);
}

/** The list of what was drawn around: how many, of which topics, and the documents page by page. */
export class Selection {
  constructor(points, documents, clear) {
    Object.assign(this, { points, documents, clear });
    this.element = h("section", { class: "selection", "aria-label": "Selected documents", "aria-live": "polite" });
    this.show([]);
  }

  show(rows) {
    this.rows = rows;
    if (!rows.length) {
      fill(this.element, h("h2", {}, "Selection"), h("p", { class: "card-note hint" }, "Choose Box or Lasso and draw around points to list their documents, or click a point."));
      return;
    }
    this.list = h("ol", { class: "documents small" });
    this.more = h("div", {});
    fill(
      this.element,
      h("div", { class: "selection-head" }, h("h2", {}, counted(rows.length, "document")),
        h("button", { type: "button", class: "button small", on: { click: this.clear } }, "Clear")),
      rows.length > 1 && this.summary(rows),
      this.list,
      this.more,
    );
    this.page(0);
  }

  /** The most frequent topics of the cut. */
  summary(rows) {
    const counts = new Map();
    const topicOf = topicsByLeaf();
    for (const row of rows) {
      const topic = topicOf(this.points.leaves[row]);
      if (topic !== null) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    }
    const items = [...counts].sort((one, other) => other[1] - one[1]).slice(0, 4)
      .map(([id, value]) => ({ id, value, name: topicTree().name(id) }));
    return items.length > 0 && linkBars(items, ({ id }) => topicLink(id), whole, rows.length);
  }

  async page(first) {
    const { rows } = this;
    const topicOf = topicsByLeaf();
    fill(this.more, h("p", { class: "card-note" }, "Loading…"));
    try {
      const found = await this.documents.some(rows.slice(first, first + PAGE));
      if (this.rows !== rows) return; // another selection meanwhile
      this.list.append(...found.map((one) => documentItem(one, { topic: topicOf(one.leaf) })));
      const next = first + PAGE;
      fill(this.more, next < rows.length && h("button", { type: "button", class: "button more", on: { click: () => this.page(next) } }, `Show ${Math.min(PAGE, rows.length - next)} more`));
    } catch (error) {
      if (error.name !== "AbortError") fill(this.more, failed(error, () => this.page(first)));
    }
  }
}
