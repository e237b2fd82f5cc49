// The map: all documents as points, near each other where they are about the same.

import { bytes } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { counted, moment, whole } from "../core/format.js";
import { topicColour, topicColours } from "../core/palette.js";
import { rewrite } from "../core/router.js";
import { about, chooseCount, countParameter, topicCount, topicTree } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { segmented, tick } from "../parts/controls.js";
import { topicSlider } from "../parts/slider.js";
import { empty, progress } from "../parts/states.js";
import { labelGroups, painted, timeRange, topicGroups } from "../map/colouring.js";
import { TopicPlaces, densest, namedAt } from "../map/names.js";
import { readPoints } from "../map/points.js";
import { Documents, Selection, legend, topicsByLeaf } from "../map/side.js";
import { Stage } from "../map/stage.js";

const PATIENCE = 70; // milliseconds over a point before its text is fetched
let held = null; // the points, once read

export async function show(root, { query, signal }) {
  const state = about().overview;
  if (state === "computing") {
    fill(root, title(), computing(signal));
    return;
  }
  if (state !== "ready") {
    fill(root, title(), empty("The map could not be computed", h("p", {}, about().overview_error ?? "The server’s log may say why.")));
    return;
  }
  await load(signal);
  if (!held.placed.length) {
    fill(root, title(), empty("No document can be placed", h("p", {}, "The model knows no word of any of them.")));
    return;
  }
  new MapPage(root, held, query, signal).draw();
}

async function load(signal) {
  held ??= readPoints(await bytes("/api/map", { signal }));
}

const title = () => h("h1", {}, "Map");

/** A bar while the server is at it; the page is drawn again when it is done (see main.js). */
function computing(signal) {
  const bar = progress("Computing the map…");
  bar.set(about().overview_progress);
  document.addEventListener("overview", ({ detail }) => detail && bar.set(detail.overview_progress), { signal });
  return bar.element;
}

class MapPage {
  constructor(root, points, query, signal) {
    Object.assign(this, { root, points, signal, tree: topicTree() });
    this.range = points.timeKind ? timeRange(points) : null;
    this.choices = [["topic", "Topic"]];
    if (points.labelNames.length) this.choices.push(["label", "Label"]);
    if (this.range) this.choices.push(["time", "Time"]);
    const asked = query.get("colour");
    this.kind = this.choices.some(([kind]) => kind === asked) ? asked : "topic";
    this.n = topicCount(query);
    const topic = query.get("topic");
    this.alone = topic !== null && /^\d+$/.test(topic) && this.tree.has(Number(topic)) ? Number(topic) : null;
    if (this.alone !== null) this.kind = "topic";
    this.selected = [];
    this.documents = new Documents(signal);
    this.places = new TopicPlaces(points, this.tree);
  }

  draw() {
    this.stage = new Stage(this.points, {
      hover: (row, px, py) => this.hover(row, px, py),
      pick: (row) => this.select(row < 0 ? [] : [row]),
      select: (rows) => this.select(rows),
      allowed: (row) => this.allowed(row),
    }, this.signal);
    this.tip = h("div", { class: "map-tip", hidden: true, role: "status" });
    this.stage.element.append(this.tip);
    this.selection = new Selection(this.points, this.documents, () => this.select([]));
    this.legendBox = h("div", {});
    document.addEventListener("leave", (event) => this.escape(event), { signal: this.signal });
    onTheme(() => this.look(), this.signal);
    const slider = topicSlider(this.tree, this.n, (n) => this.choose(n));
    fill(
      this.root,
      h("div", { class: "head" }, h("div", {}, title(), h("p", { class: "lede" }, this.summary())), this.controls()),
      h("div", { class: "map-slider" }, slider.element),
      h("div", { class: "map-columns" },
        h("div", { class: "map-frame" }, this.stage.element, this.zoomers()),
        h("div", { class: "map-side" }, h("section", { "aria-label": "Legend" }, this.legendBox), this.selection.element)),
    );
    this.look();
  }

  summary() {
    const { n, placed, sampledFrom } = this.points;
    const facts = [sampledFrom > n ? `${whole(n)} of ${counted(sampledFrom, "document")}, drawn at random` : counted(n, "document")];
    if (placed.length < n) facts.push(`${whole(n - placed.length)} without a known word are not shown`);
    return facts.join(" · ");
  }

  controls() {
    this.modes = segmented("What dragging does", [["move", "Move", "move"], ["box", "Box", "box"], ["lasso", "Lasso", "lasso"]], "move", (mode) => this.stage.setMode(mode));
    this.stage.setMode("move");
    const colours = segmented("Colour by", this.choices, this.kind, (kind) => {
      Object.assign(this, { kind, alone: null });
      this.look();
    });
    return h("div", { class: "controls" }, h("span", { class: "figure" }, "Colour"), colours, this.modes);
  }

  zoomers() {
    const button = (text, drawing, click) => h("button", { type: "button", class: "icon-button", "aria-label": text, title: text, on: { click } }, icon(drawing));
    return h("div", { class: "map-zoom" },
      button("Zoom in", "plus", () => this.stage.zoom(1.5)),
      button("Zoom out", "minus", () => this.stage.zoom(1 / 1.5)),
      button("Show all", "home", () => this.stage.reset()));
  }

  choose(n) {
    chooseCount(n);
    Object.assign(this, { n: this.tree.count(n), alone: null });
    this.look();
  }

  /** What is coloured how. */
  look() {
    const { points, kind, tree } = this;
    if (kind === "time") this.dressing = { kind, ...this.range };
    else if (kind === "label") this.dressing = { kind, groups: labelGroups(points) };
    else {
      const nodes = tree.cut(this.n);
      this.colours = topicColours(tree, nodes);
      this.dressing = { kind, groups: topicGroups(points, tree, nodes, this.colours) };
      this.promote(this.dressing.groups);
    }
    this.dress();
  }

  /** A topic that is shown alone without being of the cut stands above the others. */
  promote(found) {
    if (this.alone === null || found.entries.some(({ code }) => code === this.alone)) return;
    const leaves = new Set(this.tree.rowsOf(this.alone));
    const count = this.points.placed.filter((row) => leaves.has(this.points.leaves[row])).length;
    found.entries.unshift({ code: this.alone, count, name: this.tree.name(this.alone), colour: topicColour(this.tree, this.alone), shape: "circle" });
  }

  /** Names at a level of the zoom: topics, or the labels that have colours. */
  names(level, width) {
    const { kind, groups } = this.dressing;
    if (kind === "time") return [];
    if (kind === "label") return groups.entries.filter(({ code }) => this.alone === null || code === this.alone).map((entry) => ({ ...entry, ...this.labelPlace(entry.code) }));
    if (this.alone !== null) return this.places.of(Math.max(this.n, namedAt(level, this.n, width))).filter(({ node }) => this.tree.liesIn(node, this.alone)).map((one) => this.tinted(one));
    return this.places.of(namedAt(level, this.n, width)).map((one) => this.tinted(one));
  }

  tinted(one) {
    return { ...one, colour: this.colours.get(one.node) ?? topicColour(this.tree, one.node) };
  }

  labelPlace(code) {
    this.labelPlaces ??= new Map();
    if (!this.labelPlaces.has(code)) this.labelPlaces.set(code, densest(this.points.positions, this.points.placed.filter((row) => this.points.labels[row] === code)));
    return this.labelPlaces.get(code);
  }

  dress() {
    const { points, dressing, alone } = this;
    const chosen = this.selected.length ? new Set(this.selected) : null;
    this.inside = alone === null ? null : this.members(alone);
    const bright = chosen ? (row) => chosen.has(row) : this.inside;
    const alpha = Math.min(0.9, Math.max(0.55, 60 / Math.sqrt(points.placed.length)));
    this.stage.dress(painted(points, dressing, bright, alpha), (...given) => this.names(...given));
    fill(this.legendBox, legend(dressing, points, alone, (code) => this.isolate(code)));
    rewrite("/map", { colour: this.kind === "topic" ? "" : this.kind, n: countParameter(), topic: this.kind === "topic" ? alone : "" });
  }

  /** Which rows belong to the one group that is shown alone. */
  members(code) {
    if (this.kind !== "topic") return (row) => this.dressing.groups.codes[row] === code;
    const leaves = new Set(this.tree.rowsOf(code));
    return (row) => leaves.has(this.points.leaves[row]);
  }

  isolate(code) {
    this.alone = this.alone === code ? null : code;
    this.dress();
    this.legendBox.querySelector(`[aria-pressed="true"]`)?.focus();
  }

  allowed(row) {
    return this.inside === null || this.inside(row);
  }

  select(rows) {
    this.selected = rows;
    this.selection.show(rows);
    this.dress();
  }

  /** Esc: first the selection goes, then the one group that is shown alone, then the mode. */
  escape(event) {
    if (this.selected.length) this.select([]);
    else if (this.alone !== null) this.isolate(this.alone);
    else if (this.stage.mode !== "move") {
      this.stage.setMode("move");
      tick(this.modes, "move");
    } else return;
    event.preventDefault();
  }

  hover(row, px, py) {
    this.stage.element.classList.toggle("over-point", row >= 0);
    if (row === this.hovering) return;
    this.hovering = row;
    clearTimeout(this.timer);
    this.tip.hidden = true;
    if (row < 0) return;
    this.timer = setTimeout(() => this.tell(row, px, py), PATIENCE);
  }

  async tell(row, px, py) {
    const found = await this.documents.some([row]).catch(() => []);
    if (this.hovering !== row || !found.length) return;
    const [{ id, text, label, leaf }] = found;
    const topic = topicsByLeaf()(leaf);
    const time = this.points.times[row];
    const facts = [label, topic !== null && this.tree.name(topic), !Number.isNaN(time) && moment(time, this.points.timeKind)];
    fill(this.tip, h("strong", {}, id), h("p", { class: "figure" }, facts.filter(Boolean).join(" · ")), h("p", {}, text.replace(/\s+/g, " ").trim()));
    this.tip.hidden = false;
    const { clientWidth: width, clientHeight: height } = this.stage.element;
    const left = Math.min(width - this.tip.offsetWidth - 8, Math.max(8, px + 14));
    const top = py + 18 + this.tip.offsetHeight > height ? py - this.tip.offsetHeight - 14 : py + 18;
    this.tip.style.transform = `translate(${left}px, ${Math.max(8, top)}px)`;
  }
}
