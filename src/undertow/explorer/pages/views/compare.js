// Two topics side by side: words that both have, and words of one alone.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, figure, percent } from "../core/format.js";
import { topicColour } from "../core/palette.js";
import { go, link, topicLink } from "../core/router.js";
import { countParameter, topicCount, topicTree } from "../core/source.js";
import { track } from "../parts/bars.js";
import { topicSelect } from "../parts/controls.js";
import { quotedDocuments } from "../parts/documents.js";

const QUOTED = 2;

export async function show(root, { parts, signal }) {
  const ids = parts.map(Number);
  const pair = await Promise.all(ids.map((id) => get(`/api/topics/${id}`, {}, { signal })));
  const most = Math.max(1e-9, ...pair.flatMap(({ words }) => words.map(({ salience }) => salience)));
  const both = shared(pair);
  fill(
    root,
    h(
      "div",
      { class: "head" },
      h("div", { class: "head-text" },
        h("a", { class: "crumb", href: link("/topics", { n: countParameter() }) }, "Topics"),
        h("h1", {}, "Two topics side by side"),
        h("p", { class: "lede" }, alike(pair))),
    ),
    h("div", { class: "compare-heads" }, pair.map((topic, place) => side(topic, place, ids))),
    both.length > 0 && section(both, most, pair),
    h("div", { class: "compare-only" }, only(pair[0], pair[1], most), only(pair[1], pair[0], most)),
    h("div", { class: "compare-only" }, pair.map(({ id, typical }) => h("section", { class: "compare-quotes" }, typical.length > 0 && quotedDocuments(typical.slice(0, QUOTED), id)))),
  );
}

const colour = (id) => ({ "--c": topicColour(topicTree(), id) });

function side(topic, place, ids) {
  const tree = topicTree();
  const others = tree.cut(topicCount()).map((id) => ({ id, name: tree.name(id) }));
  const change = (other) => go(link(place === 0 ? `/compare/${other}/${ids[1]}` : `/compare/${ids[0]}/${other}`));
  return h(
    "div",
    { class: "card compare-head", style: colour(topic.id) },
    h("a", { class: "topic-card-name", href: topicLink(topic.id), "data-step": true }, topic.name),
    h("p", { class: "figure" }, `${percent(topic.share)} · ${counted(topic.documents, "document")}`),
    topicSelect(`Instead of ${topic.name}`, others, { first: "Another…", without: ids, change }),
  );
}

function alike([one, other]) {
  if (one.id === other.id) return "The same topic twice.";
  const tree = topicTree();
  if (tree.liesIn(one.id, other.id)) return `${one.name} is part of ${other.name}.`;
  if (tree.liesIn(other.id, one.id)) return `${other.name} is part of ${one.name}.`;
  const known = one.neighbours.find(({ id }) => id === other.id) ?? other.neighbours.find(({ id }) => id === one.id);
  return known ? `Similarity ${figure(known.similarity)} of 1.` : "Neither is among the nearest neighbours of the other.";
}

/** Words that both show, with the salience in each; the most telling first. */
function shared([one, other]) {
  const right = new Map(other.words.map((word) => [word.word, word]));
  return one.words.filter(({ word }) => right.has(word)).map((word) => ({ word: word.word, both: [word, right.get(word.word)] }))
    .sort((a, b) => Math.max(...b.both.map(({ salience }) => salience)) - Math.max(...a.both.map(({ salience }) => salience)));
}

function section(rows, most, pair) {
  return h(
    "section",
    { class: "card compare" },
    h("h2", {}, "In both ", h("span", { class: "figure" }, counted(rows.length, "word"))),
    h(
      "table",
      { class: "butterfly" },
      h("colgroup", {}, h("col", {}), h("col", { class: "middle" }), h("col", {})),
      h("thead", { class: "hidden" }, h("tr", {}, h("th", { scope: "col" }, pair[0].name), h("th", { scope: "col" }, "Word"), h("th", { scope: "col" }, pair[1].name))),
      h("tbody", {}, rows.map(({ word, both }) =>
        h("tr", {}, cell(both[0], most, pair[0].id), h("th", { scope: "row" }, word), cell(both[1], most, pair[1].id)))),
    ),
  );
}

function cell({ salience, share }, most, id) {
  return h("td", { style: colour(id) }, h("div", { class: "wing" }, h("span", { class: "figure" }, percent(share)), track(salience / most)));
}

/** Words that only one of them shows. */
function only(topic, other, most) {
  const known = new Set(other.words.map(({ word }) => word));
  const words = topic.words.filter(({ word }) => !known.has(word));
  return h(
    "section",
    { class: "card", style: colour(topic.id) },
    h("h2", {}, "Only in ", topic.name),
    words.length
      ? h("ol", { class: "bars topic-bars" }, words.map(({ word, salience, share }) =>
        h("li", {}, h("span", { class: "word", title: word }, word), track(salience / most), h("span", { class: "figure" }, percent(share)))))
      : h("p", { class: "card-note" }, "None of its words."),
  );
}
