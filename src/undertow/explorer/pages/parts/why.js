// Why a document was found, in one line: words of the question that it holds and lacks, and topics that both are about.

import { h } from "../core/dom.js";
import { roundPercent } from "../core/format.js";
import { topicColour } from "../core/palette.js";
import { documentLink } from "../core/router.js";
import { topicName, topicTree } from "../core/source.js";

const WORDS = 5; // of a question that is a whole document, and of those that are missing

/** The line of a document found; `typed` says that the question was typed, and is no document with all its words. */
export function whyLine({ id, why, topics = [] }, { typed = false } = {}) {
  const shared = new Set(why.topics.map(({ id: topic }) => topic));
  const parts = [
    why.words.slice(0, typed ? undefined : WORDS).map(mark),
    typed && why.missing.length > 0 && without(why.missing),
    why.topics.map(({ id: topic, name, part }) =>
      chip(id, topic, name, part, `The question and this document are both about it, each ${roundPercent(part)} or more`)),
    topics.filter(({ id: topic }) => !shared.has(topic)).map(({ id: topic, name, share }) =>
      chip(id, topic, name, share, `${roundPercent(share)} of this document is about it`, "quiet")),
  ].flat().filter(Boolean);
  return parts.length > 0 && h("ul", { class: "why", "aria-label": "Why it was found" }, parts.map((part) => h("li", {}, part)));
}

/** A word, tinted by how much it counts. */
function mark({ word, part }) {
  return h("mark", { class: "why-word", style: { "--a": (0.1 + 0.24 * part).toFixed(3) }, title: `${roundPercent(part)} of how well its words fit` }, word);
}

function without(words) {
  const named = words.slice(0, WORDS).join(", ");
  return h("span", { class: "why-missing", title: "Words of the question that it lacks" }, `without: ${named}${words.length > WORDS ? ", …" : ""}`);
}

function chip(id, topic, name, share, told, look = "") {
  return h(
    "a",
    { class: `chip topic-chip ${look}`.trim(), href: documentLink(id, { topic }), style: { "--c": topicColour(topicTree(), topic) }, title: `${told}. Show what carried it there` },
    h("span", { class: "swatch" }), topicName(topic, name), h("span", { class: "figure" }, roundPercent(share)),
  );
}
