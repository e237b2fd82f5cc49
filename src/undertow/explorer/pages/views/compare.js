// Two topics side by side: words that both have, and words of one alone.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, percent, signed } from "../core/format.js";
import { go, link, topicLink } from "../core/router.js";
import { allTopics, topicName } from "../core/source.js";
import { largest, track, wordBars } from "../parts/bars.js";
import { topicSelect } from "../parts/controls.js";

export async function show(root, { parts, signal }) {
  const ids = parts.map(Number);
  const [topics, ...pair] = await Promise.all([allTopics(signal), ...ids.map((id) => get(`/api/topics/${id}`, {}, { signal }))]);
  const groups = grouped(pair);
  const most = largest(pair.flatMap(({ up, down }) => [...up, ...down]));
  fill(
    root,
    h(
      "div",
      { class: "head" },
      h(
        "div",
        { class: "head-text" },
        h("a", { class: "crumb", href: "#/topics" }, "Topics"),
        h("h1", {}, "Two topics side by side"),
        h("p", { class: "lede" }, alike(pair)),
      ),
    ),
    h("div", { class: "compare-heads" }, pair.map((topic, place) => side(topic, place, ids, topics))),
    groups.filter(([, , rows]) => rows.length).map((group) => section(group, most, pair)),
    h("div", { class: "compare-only" }, only(pair[0], pair[1], most), only(pair[1], pair[0], most)),
  );
}

/** Words that only one of them has among its strongest. */
function only(topic, other, most) {
  const known = weights(other);
  const words = topic.up.filter(({ word }) => !known.has(word));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Only up in ", topicName(topic.id, topic.name)),
    words.length ? wordBars(words, "up", most) : h("p", { class: "card-note" }, "None of its strongest words."),
  );
}

function side(topic, place, ids, topics) {
  const facts = [percent(topic.activity), topic.documents !== null && counted(topic.documents, "document")];
  const change = (other) => go(link(place === 0 ? `/compare/${other}/${ids[1]}` : `/compare/${ids[0]}/${other}`));
  return h(
    "div",
    { class: "card compare-head" },
    h("a", { class: "topic-card-name", href: topicLink(topic.id), "data-step": true }, topicName(topic.id, topic.name)),
    h("p", { class: "figure" }, facts.filter(Boolean).join(" · ")),
    topicSelect(`Instead of ${topic.name}`, topics, { first: "Another…", without: ids, change }),
  );
}

function alike([one, other]) {
  const known = one.similar.find(({ id }) => id === other.id) ?? other.similar.find(({ id }) => id === one.id);
  if (one.id === other.id) return "The same topic twice.";
  return known ? `Similarity ${signed(known.similarity)} of 1.` : "Neither is among the most similar topics of the other.";
}

/** Words in groups of [title, note, rows of {word, weights}]; of the 30 words that a topic shows each way. */
function grouped([one, other]) {
  const left = weights(one);
  const right = weights(other);
  const rows = [...new Set([...left.keys(), ...right.keys()])].map((word) => ({ word, weights: [left.get(word), right.get(word)] }));
  const size = ({ weights: both }) => Math.max(...both.map((weight) => Math.abs(weight ?? 0)));
  const pick = (test) => rows.filter(({ weights: [a, b] }) => test(a ?? 0, b ?? 0)).sort((x, y) => size(y) - size(x));
  return [
    ["Up in both", "both", pick((a, b) => a > 0 && b > 0)],
    ["Opposite", "up in one, down in the other", pick((a, b) => a * b < 0)],
    ["Down in both", "both", pick((a, b) => a < 0 && b < 0)],
  ];
}

function weights(topic) {
  return new Map([...topic.up, ...topic.down].map(({ word, weight }) => [word, weight]));
}

function section([title, note, rows], most, pair) {
  return h(
    "section",
    { class: "card compare" },
    h("h2", {}, title, " ", h("span", { class: "figure" }, note === "both" ? counted(rows.length, "word") : note)),
    h(
      "table",
      { class: "butterfly" },
      h("colgroup", {}, h("col", {}), h("col", { class: "middle" }), h("col", {})),
      h(
        "thead",
        { class: "hidden" },
        h("tr", {}, h("th", { scope: "col" }, pair[0].name), h("th", { scope: "col" }, "Word"), h("th", { scope: "col" }, pair[1].name)),
      ),
      h("tbody", {}, rows.map(({ word, weights: [a, b] }) => h("tr", {}, cell(a, most), h("th", { scope: "row" }, word), cell(b, most)))),
    ),
  );
}

function cell(weight, most) {
  if (weight === undefined) return h("td", {}, h("span", { class: "hidden" }, "not among its strongest words"));
  return h(
    "td",
    {},
    h("div", { class: `wing ${weight < 0 ? "down" : "up"}` }, h("span", { class: "figure" }, signed(weight)), track(Math.abs(weight) / most)),
  );
}
