// A topic on a card: its name, how much of all it is, its words, and a sentence that shows it.

import { fill, h } from "../core/dom.js";
import { counted, percent } from "../core/format.js";
import { documentLink, topicLink } from "../core/router.js";
import { track } from "./bars.js";

const WORDS = 8;
const WORDS_OF_GROUP = 6;
const PHRASES = 3;

/** A topic of the cut. `look` has the tree, what is known of topics, their colours, and how they are edited. */
export function topicCard(node, look) {
  const { tree, editing } = look;
  return h(
    "li",
    { class: "card topic-card", style: { "--c": look.colour(node) }, "data-topic": node },
    h("div", { class: "topic-card-head" }, editing?.tick(node), name(node, look)),
    share(node, tree, look.most),
    h("div", { class: "topic-told" }, cardText(node, look)),
    editing?.tools(node),
  );
}

/** The head of a group: a coarser topic, above the finer ones in it. */
export function groupHead(node, look, parts) {
  const { tree, editing } = look;
  return h(
    "div",
    { class: "topic-group-head" },
    h("div", { class: "topic-card-head" }, editing?.tick(node), name(node, look)),
    h("p", { class: "figure" }, `${percent(tree.share(node))} · ${counted(tree.size(node), "document")} · ${counted(parts, "topic")}`),
    h("div", { class: "topic-told" }, groupText(node, look)),
    editing?.tools(node),
  );
}

/** Puts what has come to be known of a topic on its card; who is about to press something there finds it in its place. */
export function tell(item, node, look) {
  const told = item.querySelector(".topic-told"); // of a group that of its head, which comes first
  fill(told, item.matches(".topic-group") ? groupText(node, look) : cardText(node, look));
}

function cardText(node, { records, wanted }) {
  const record = records.get(node);
  if (!record) return h("p", { class: "topic-waiting", "aria-hidden": "true" });
  return [wordLine(few(record.words, WORDS, wanted), wanted), phrases(record), quotation(record)];
}

function groupText(node, { records, wanted }) {
  const record = records.get(node);
  return record && wordLine(record.words.slice(0, WORDS_OF_GROUP), wanted);
}

function name(node, { tree }) {
  return h("h2", { class: "topic-name" }, h("a", { class: "topic-card-name", href: topicLink(node), "data-step": true }, tree.name(node)));
}

function share(node, tree, most) {
  return h(
    "div",
    { class: "activity", title: "Share of all documents" },
    track(tree.share(node) / most),
    h("span", { class: "figure" }, `${percent(tree.share(node))} · ${counted(tree.size(node), "document")}`),
  );
}

/** Words, tinted by how much they say. */
export function wordLine(words, wanted = "") {
  const most = Math.max(1e-9, ...words.map(({ salience }) => salience));
  const hit = (word) => wanted !== "" && word.toLowerCase().includes(wanted);
  return h(
    "ul",
    { class: "words topic-words", "aria-label": "Its words" },
    words.map(({ word, salience, share: held }) =>
      h("li", { class: hit(word) ? "hit" : null, style: { "--a": (0.06 + 0.22 * (salience / most)).toFixed(3) }, title: `in ${percent(held)} of its documents` }, word)),
  );
}

function phrases({ phrases: given }) {
  if (!given.length) return null;
  return h("p", { class: "topic-phrases", "aria-label": "Pairs of words that often stand together" }, given.slice(0, PHRASES).map(({ word }) => word).join(" · "));
}

function quotation({ id, typical }) {
  if (!typical.length) return null;
  const [{ id: document, title, sentence, here }] = typical;
  return h(
    "figure",
    { class: "quotation" },
    h("blockquote", {}, sentence),
    h("figcaption", {}, here ? h("a", { href: documentLink(document, { topic: id }) }, title) : title),
  );
}

/** The first words, and those after them that the filter asks for. */
function few(words, number, wanted) {
  return words.filter(({ word }, place) => place < number || (wanted && word.toLowerCase().includes(wanted)));
}
