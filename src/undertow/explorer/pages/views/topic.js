// One topic: its words, how active it is, its neighbours, its documents, its course over time.

import { get } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { counted, percent } from "../core/format.js";
import { go, link, topicLink } from "../core/router.js";
import { about, allTopics, topicName } from "../core/source.js";
import { largest, linkBars, wordBars } from "../parts/bars.js";
import { courseFigure, courseTable } from "../parts/courses.js";
import { topicSelect } from "../parts/controls.js";
import { documentList } from "../parts/documents.js";

export async function show(root, { parts, signal }) {
  const id = Number(parts[0]);
  const [topic, topics] = await Promise.all([get(`/api/topics/${id}`, {}, { signal }), allTopics(signal)]);
  const most = largest([...topic.up, ...topic.down]);
  fill(
    root,
    head(topic, topics),
    h(
      "div",
      { class: "columns" },
      words("Words that speak for it", "up", topic.up, most),
      words("Words that speak against it", "down", topic.down, most),
      h("div", { class: "stack" }, similar(topic), over(topic, signal)),
    ),
    typical(topic),
  );
}

function head(topic, topics) {
  const place = topics.findIndex(({ id }) => id === topic.id);
  const step = (other, text, drawing) =>
    h("a", { class: "icon-button", href: topicLink(other.id), "aria-label": text, title: `${text}: ${other.name}` }, icon(drawing));
  const before = topics[(place + topics.length - 1) % topics.length];
  const after = topics[(place + 1) % topics.length];
  const facts = [
    `Topic ${topic.id}`,
    `on in ${percent(topic.activity)} of the training documents`,
    topic.documents !== null && counted(topic.documents, "document"),
  ];
  return h(
    "div",
    { class: "head" },
    h(
      "div",
      { class: "head-text" },
      h("a", { class: "crumb", href: "#/topics" }, "Topics"),
      h("h1", {}, topic.name),
      h("p", { class: "lede" }, facts.filter(Boolean).join(" · ")),
    ),
    h(
      "div",
      { class: "controls" },
      topicSelect("Compare with", topics, {
        first: "Compare with…", without: [topic.id], change: (other) => go(link(`/compare/${topic.id}/${other}`)),
      }),
      about().has.map && h("a", { class: "button", href: link("/map", { topic: topic.id }) }, "On the map"),
      h("span", { class: "stepper" }, step(before, "Topic before, by activity", "back"), step(after, "Next topic, by activity", "next")),
    ),
  );
}

function words(title, side, given, most) {
  const note = side === "up" ? "What one occurrence adds to the topic’s input" : "What one occurrence takes away";
  return h(
    "section",
    { class: "card" },
    h("h2", {}, h("span", { class: `sign ${side}`, "aria-hidden": "true" }, side === "up" ? "▲ " : "▼ "), title),
    h("p", { class: "card-note" }, note),
    given.length ? wordBars(given, side, most) : h("p", { class: "card-note" }, "None."),
  );
}

function similar(topic) {
  const items = topic.similar.map(({ id, name, similarity }) => ({ id, name: topicName(id, name), value: similarity }));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Similar topics"),
    h("p", { class: "card-note" }, "By what they make of words; opens a comparison"),
    linkBars(items, (item) => link(`/compare/${topic.id}/${item.id}`)),
  );
}

function over(topic, signal) {
  const course = topic.over_time;
  if (!course) return null;
  const series = [{ id: topic.id, name: topic.name, values: course.share }];
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Over time"),
    h("p", { class: "card-note" }, "Share of documents that switch it on, above how many there are"),
    courseFigure(course, series, { height: 240, titles: false }, signal).element,
    courseTable(course, series),
    h("p", { class: "card-more" }, h("a", { href: link("/time", { topics: String(topic.id) }) }, "With other topics")),
  );
}

function typical(topic) {
  if (about().kind !== "index") return null;
  const waiting = about().overview === "computing" ? "They are being gathered: the overview is still being computed." : "No document switches it on.";
  return h(
    "section",
    { class: "section" },
    h("h2", {}, "Typical documents"),
    topic.typical.length
      ? documentList(topic.typical, { topic: topic.id })
      : h("p", { class: "card-note" }, waiting),
  );
}
