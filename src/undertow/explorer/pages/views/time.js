// Topics over time: lines of those that are chosen, and a strip for each of them all.

import { get } from "../core/api.js";
import { fill, h, icon, svg } from "../core/dom.js";
import { counted, percent } from "../core/format.js";
import { lineColour } from "../core/palette.js";
import { rewrite, topicLink } from "../core/router.js";
import { about, allTopics } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { binText, courseFigure, courseLabel, courseParameters, courseTable } from "../parts/courses.js";
import { segmented } from "../parts/controls.js";
import { empty, progress } from "../parts/states.js";

const CHOSEN = 5; // at the beginning
const MOST = 12;
const AT_ONCE = 100; // topics that the server tells of in one answer

export async function show(root, { query, signal }) {
  const title = h("h1", {}, "Topics over time");
  if (!about().has.time) {
    fill(root, title, empty("These documents have no times", h("p", {}, "An index has them when its corpus has a column named time, date, timestamp, created_at, published or year.")));
    return;
  }
  if (about().overview !== "ready") {
    fill(root, title, waiting(signal));
    return;
  }
  const topics = await allTopics(signal);
  const course = await courses(topics.map(({ id }) => id), signal);
  if (course === null) {
    fill(root, title, empty("No document has a time"));
    return;
  }
  new OverTime(root, title, topics, course, query, signal).draw();
}

/** The courses of all topics, in parts; null where no document has a time. */
async function courses(ids, signal) {
  const parts = [];
  for (let first = 0; first < ids.length; first += AT_ONCE) parts.push(ids.slice(first, first + AT_ONCE).join(","));
  try {
    const found = await Promise.all(parts.map((topics) => get("/api/time", { topics }, { signal })));
    return { ...found[0], shares: Object.assign({}, ...found.map(({ shares }) => shares)) };
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

function waiting(signal) {
  if (about().overview !== "computing") return empty("The overview could not be computed", h("p", {}, about().overview_error ?? ""));
  const bar = progress("Computing the overview…");
  bar.set(about().overview_progress);
  document.addEventListener("overview", ({ detail }) => detail && bar.set(detail.overview_progress), { signal });
  return bar.element;
}

class OverTime {
  constructor(root, title, topics, course, query, signal) {
    Object.assign(this, { root, title, course, signal });
    this.topics = topics.filter(({ id }) => course.shares[id]).map((topic) => ({ ...topic, ...shape(course.shares[topic.id], course.documents) }));
    const asked = (query.get("topics") ?? "").split(",").filter((part) => part !== "").map(Number);
    const known = asked.filter((id) => course.shares[id]);
    this.chosen = known.length ? known.slice(0, MOST) : this.sorted("swing").slice(0, CHOSEN).map(({ id }) => id);
    this.order = "swing";
    this.lines = null; // the figure, once there is something to draw
    this.drawing = h("div", {});
    this.table = h("div", {});
    this.legend = h("ul", { class: "chips course-legend" });
    this.strips = h("ol", { class: "strips" });
    onTheme(() => this.again(), signal);
  }

  draw() {
    const orders = [["swing", "Change"], ["activity", "Activity"], ["peak", "Peak"], ["name", "Name"]];
    fill(
      this.root,
      h("div", { class: "head" }, h("div", {}, this.title, h("p", { class: "lede" }, "Share of the documents of each time that switch a topic on"))),
      h("section", { class: "card" }, this.legend, this.drawing, this.table),
      h(
        "section",
        { class: "section" },
        h("div", { class: "head" },
          h("div", {}, h("h2", {}, "All topics"), h("p", { class: "card-note strip-note" }, "Each strip is scaled to its own highest share, which stands at its end. Press a name to draw its line above.")),
          segmented("Sort by", orders, this.order, (order) => {
            this.order = order;
            this.again();
          })),
        this.strips,
      ),
    );
    this.again();
  }

  again() {
    const named = new Map(this.topics.map((topic) => [topic.id, topic]));
    const series = this.chosen.map((id, place) => ({ id, name: named.get(id).name, values: this.course.shares[id], ...lineColour(place) }));
    this.plot(series);
    fill(this.legend, series.map(({ id, name, colour, dashed }) =>
      h("li", {}, h("span", { class: "chip" },
        h("span", { class: `swatch ${dashed ? "ring" : ""}`, style: { "--c": colour } }), h("a", { href: topicLink(id) }, name),
        h("button", { type: "button", class: "chip-close", "aria-label": `Take ${name} out`, on: { click: () => this.toggle(id) } }, icon("close"))))));
    fill(this.strips, this.sorted(this.order).map((topic) => this.strip(topic)));
    rewrite("/time", { topics: this.chosen.join(",") });
  }

  plot(series) {
    fill(this.table, series.length > 0 && courseTable(this.course, series));
    if (!series.length) {
      fill(this.drawing, empty("Choose topics below"));
      return;
    }
    if (this.lines === null) this.lines = courseFigure(this.course, series, { height: 420 }, this.signal);
    else this.lines.change(courseParameters(series), courseLabel(this.course, series));
    if (!this.lines.element.isConnected) fill(this.drawing, this.lines.element);
  }

  toggle(id) {
    this.chosen = this.chosen.includes(id) ? this.chosen.filter((other) => other !== id) : [...this.chosen, id].slice(-MOST);
    const focused = document.activeElement?.dataset?.topic;
    this.again();
    if (focused) this.strips.querySelector(`[data-topic="${Number(focused)}"]`)?.focus({ preventScroll: true });
  }

  sorted(order) {
    const by = {
      swing: (one, other) => other.swing - one.swing,
      activity: (one, other) => other.activity - one.activity,
      peak: (one, other) => one.peak - other.peak || other.swing - one.swing,
      name: (one, other) => one.name.localeCompare(other.name, "en"),
    };
    return [...this.topics].sort(by[order]);
  }

  strip(topic) {
    const { edges, documents, kind } = this.course;
    const shares = this.course.shares[topic.id];
    const cells = shares.map((share, place) =>
      svg("rect", { x: place, y: 0, width: 1, height: 1, "fill-opacity": documents[place] ? (0.06 + 0.94 * (share / Math.max(topic.high, 1e-9)) ** 2).toFixed(3) : 0 },
        svg("title", {}, `${binText(edges, kind, place)}: ${percent(share)} of ${counted(documents[place], "document")}`)));
    const place = this.chosen.indexOf(topic.id);
    const colour = place >= 0 ? { "--c": lineColour(place).colour } : {};
    return h(
      "li",
      { style: colour },
      h("button", { type: "button", class: "strip-name", "aria-pressed": String(place >= 0), "data-topic": topic.id, title: topic.name, on: { click: () => this.toggle(topic.id) } }, topic.name),
      svg("svg", { class: "strip", viewBox: `0 0 ${shares.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": `Highest ${percent(topic.high)} in ${binText(edges, kind, topic.peak)}` }, cells),
      h("span", { class: "figure" }, percent(topic.high)),
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
