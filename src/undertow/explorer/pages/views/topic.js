// One topic: its words, what it lies in and what lies in it, its neighbours, its documents, its course over time.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, figure, percent, whole } from "../core/format.js";
import { topicColour } from "../core/palette.js";
import { go, link, topicLink } from "../core/router.js";
import { about, countParameter, topicCount, topicTree } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { linkBars, track } from "../parts/bars.js";
import { topicSelect } from "../parts/controls.js";
import { courseTable } from "../parts/courses.js";
import { quotedDocuments } from "../parts/documents.js";
import { Streams } from "../parts/streams.js";

const ANCESTORS = 4; // shown of those that it lies in

export async function show(root, { parts, signal }) {
  const topic = await get(`/api/topics/${Number(parts[0])}`, {}, { signal });
  const tint = () => root.style.setProperty("--c", topicColour(topicTree(), topic.id));
  tint();
  onTheme(tint, signal);
  fill(
    root,
    head(topic),
    h(
      "div",
      { class: "columns" },
      words(topic),
      typical(topic),
      h("div", { class: "stack" }, over(topic, signal), inside(topic), neighbours(topic), units(topic)),
    ),
  );
}

function head(topic) {
  const facts = [
    `${percent(topic.share)} of all`,
    counted(topic.documents, "document"),
    `coherence ${figure(topic.coherence)}`,
    topic.dropped && "dropped",
  ];
  const others = topicTree().cut(topicCount()).map((id) => ({ id, name: topicTree().name(id) }));
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      { class: "head-text" },
      crumbs(topic),
      h("h1", { class: "topic-title" }, topic.name),
      h("p", { class: "lede" }, facts.filter(Boolean).join(" · ")),
    ),
    h(
      "div",
      { class: "controls" },
      topicSelect("Compare with", others, {
        first: "Compare with…", without: [topic.id], change: (other) => go(link(`/compare/${topic.id}/${other}`)),
      }),
      about().has.map && h("a", { class: "button", href: link("/map", { topic: topic.id, n: Math.max(topic.since, topicCount()) }) }, "On the map"),
    ),
  );
}

/** All topics, and the last of those that it lies in. */
function crumbs({ path }) {
  const shown = path.slice(-ANCESTORS);
  return h(
    "nav",
    { class: "crumbs", "aria-label": "What it lies in" },
    h("a", { class: "crumb", href: link("/topics", { n: countParameter() }) }, "Topics"),
    path.length > shown.length && h("span", {}, "…"),
    shown.map(({ id, name }) => h("a", { href: topicLink(id) }, name)),
  );
}

function words({ words: given, phrases }) {
  const most = Math.max(1e-9, ...given.map(({ salience }) => salience));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Words"),
    h("p", { class: "card-note" }, "By how much they tell it from other topics; beside them, the share of its documents that hold them"),
    h("ol", { class: "bars topic-bars" }, given.map(({ word, salience, share }) =>
      h("li", {}, h("span", { class: "word", title: word }, word), track(salience / most), h("span", { class: "figure" }, percent(share))))),
    phrases.length > 0 && h("p", { class: "card-more" }, h("strong", {}, "Pairs: "), phrases.map(({ word }) => word).join(" · ")),
  );
}

function inside({ parts, documents }) {
  if (!parts.length) return null;
  const items = parts.map(({ id, name, documents: value }) => ({ id, name, value }));
  return h("section", { class: "card" }, h("h2", {}, "Its parts"), linkBars(items, ({ id }) => topicLink(id), whole, Math.max(1, documents)));
}

function neighbours({ id, neighbours: given }) {
  if (!given.length) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Neighbours"),
    h("p", { class: "card-note" }, "By the cosine of their directions; opens a comparison"),
    linkBars(given.map((one) => ({ ...one, value: one.similarity })), (other) => link(`/compare/${id}/${other.id}`)),
  );
}

function units({ units: given }) {
  if (!given.length) return null;
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Hidden units behind it"),
    h("p", { class: "card-note" }, "Features of the model that are stronger in its documents than in all"),
    linkBars(given.map((one) => ({ ...one, value: one.strength })), ({ id }) => link("/training", { unit: id }), figure, Math.max(...given.map(({ strength }) => strength))),
  );
}

function over({ id, name, over_time: course }, signal) {
  if (!course) return null;
  const series = [{ id, name, values: course.share }];
  const streams = new Streams(course, { height: 200, scaled: true }, signal);
  streams.show(series, () => topicColour(topicTree(), id));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Over time"),
    h("p", { class: "card-note" }, "Share of the documents of each time"),
    streams.element,
    courseTable(course, series),
    h("p", { class: "card-more" }, h("a", { href: link("/time", { n: countParameter() }) }, "All topics over time")),
  );
}

function typical({ id, typical: given }) {
  const waiting = about().overview === "computing" && h("p", { class: "card-note" }, "More of them are being gathered: the overview is still being computed.");
  return h("section", { class: "typical" }, h("h2", {}, "Typical documents"), waiting, given.length ? quotedDocuments(given, id) : h("p", { class: "card-note" }, "None is known."));
}
