// Topics over time: the topics of a cut as streams, and a strip for each of them.

import { get } from "../core/api.js";
import { fill, h, svg } from "../core/dom.js";
import { counted, percent } from "../core/format.js";
import { topicColours } from "../core/palette.js";
import { go, rewrite, topicLink } from "../core/router.js";
import { about, chooseCount, countParameter, topicCount, topicTree } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { segmented } from "../parts/controls.js";
import { binText, courseTable } from "../parts/courses.js";
import { topicSlider } from "../parts/slider.js";
import { empty, progress } from "../parts/states.js";
import { Streams } from "../parts/streams.js";

const ORDERS = [["tree", "Tree"], ["size", "Size"], ["swing", "Change"], ["peak", "Peak"]];

export async function show(root, { query, signal }) {
  const title = h("h1", {}, "Topics over time");
  if (!about().has.time) {
    fill(root, title, empty("These documents have no times", h("p", {}, "An index has them when its corpus has a column named time, date, timestamp, created_at, published or year.")));
    return undefined;
  }
  if (about().overview !== "ready") {
    fill(root, title, waiting(signal));
    return undefined;
  }
  const course = await get("/api/time/leaves", {}, { signal }).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
  if (course === null) {
    fill(root, title, empty("No two documents have different times"));
    return undefined;
  }
  const page = new OverTime(root, title, course, query, signal);
  page.draw();
  return { update: (route) => page.moved(route.query) };
}

function waiting(signal) {
  if (about().overview !== "computing") return empty("The overview could not be computed", h("p", {}, about().overview_error ?? ""));
  const bar = progress("Computing the overview…");
  bar.set(about().overview_progress);
  document.addEventListener("overview", ({ detail }) => detail && bar.set(detail.overview_progress), { signal });
  return bar.element;
}

class OverTime {
  constructor(root, title, course, query, signal) {
    Object.assign(this, { root, title, course, order: "tree" });
    this.n = topicCount(query);
    this.streams = new Streams(course, { height: 460, pick: (id) => go(topicLink(id)) }, signal);
    this.table = h("div", {});
    this.strips = h("ol", { class: "strips" });
    onTheme(() => this.again(), signal);
  }

  draw() {
    this.slider = topicSlider(topicTree(), this.n, (n) => this.choose(n));
    fill(
      this.root,
      h("div", { class: "head" }, h("div", {}, this.title, h("p", { class: "lede" }, "How much of the documents of each time is in each topic"))),
      h("div", { class: "slider-bar" }, this.slider.element),
      h("section", { class: "card" }, this.streams.element, this.table),
      h(
        "section",
        { class: "section" },
        h("div", { class: "head" },
          h("div", {}, h("h2", {}, "One by one"), h("p", { class: "card-note strip-note" }, "Each strip is scaled to its own highest share, which stands at its end.")),
          segmented("Sort by", ORDERS, this.order, (order) => {
            this.order = order;
            this.again();
          })),
        this.strips,
      ),
    );
    this.again();
  }

  moved(query) {
    this.n = topicCount(query);
    this.slider.set(this.n);
    this.again();
    return true;
  }

  choose(n) {
    chooseCount(n);
    this.n = topicTree().count(n);
    this.again();
  }

  /** Topics of the cut along the tree, so that those of one branch lie upon each other, and their shares. */
  series() {
    const tree = topicTree();
    const nodes = [...tree.cut(this.n)].sort((one, other) => tree.hue(one) - tree.hue(other));
    const places = tree.placesOf(nodes);
    const { counts, documents } = this.course;
    const sums = nodes.map(() => documents.map(() => 0));
    counts.forEach((row, bin) => row.forEach((count, leaf) => places[leaf] >= 0 && (sums[places[leaf]][bin] += count)));
    return nodes.map((id, place) => {
      const values = sums[place].map((count, bin) => count / Math.max(1, documents[bin]));
      return { id, place, name: tree.name(id), values, size: tree.size(id), ...shape(values, documents) };
    });
  }

  again() {
    const series = this.series();
    const colours = topicColours(topicTree(), series.map(({ id }) => id));
    this.streams.show(series, (id) => colours.get(id));
    fill(this.table, courseTable(this.course, series));
    fill(this.strips, this.sorted(series).map((topic) => this.strip(topic, colours.get(topic.id))));
    rewrite("/time", { n: countParameter() });
  }

  sorted(series) {
    const by = {
      tree: (one, other) => one.place - other.place,
      size: (one, other) => other.size - one.size,
      swing: (one, other) => other.swing - one.swing,
      peak: (one, other) => one.peak - other.peak || other.swing - one.swing,
    };
    return [...series].sort(by[this.order]);
  }

  strip({ id, name, values, high, peak }, colour) {
    const { edges, documents, kind } = this.course;
    const cells = values.map((share, place) =>
      svg("rect", { x: place, y: 0, width: 1, height: 1, "fill-opacity": documents[place] ? (0.06 + 0.94 * (share / Math.max(high, 1e-9)) ** 2).toFixed(3) : 0 },
        svg("title", {}, `${binText(edges, kind, place)}: ${percent(share)} of ${counted(documents[place], "document")}`)));
    return h(
      "li",
      { style: { "--c": colour } },
      h("a", { class: "strip-name", href: topicLink(id), "data-step": true, title: name }, name),
      svg("svg", { class: "strip", viewBox: `0 0 ${values.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": `Highest ${percent(high)} in ${binText(edges, kind, peak)}` }, cells),
      h("span", { class: "figure" }, percent(high)),
    );
  }
}

/** Highest share, where it is, and how much it swings beyond what chance would do with as many documents. */
function shape(shares, documents) {
  let [peak, high, total, weighted] = [0, -1, 0, 0];
  shares.forEach((share, place) => {
    if (documents[place] && share > high) [peak, high] = [place, share];
    total += documents[place];
    weighted += share * documents[place];
  });
  const mean = weighted / Math.max(1, total);
  const spread = shares.reduce((sum, share, place) => sum + documents[place] * (share - mean) ** 2, 0);
  return { peak, high: Math.max(0, high), swing: spread / Math.max(1e-9, mean * (1 - mean)) };
}
