// Documents in lists: a link, a label, the beginning of the text, and why it was found.

import { h } from "../core/dom.js";
import { figure, stamp } from "../core/format.js";
import { documentLink, link, topicLink } from "../core/router.js";
import { topicName } from "../core/source.js";

/** One document. `found` has id, text, label, and where there are any: score, strength, time, reasons. */
export function documentItem(found, { topic, like = false } = {}) {
  return h(
    "li",
    { class: "document" },
    h(
      "div",
      { class: "document-head" },
      h("a", { class: "document-id", href: documentLink(found.id, { topic }), "data-step": true }, found.id),
      label(found.label),
      found.time !== null && found.time !== undefined && h("span", { class: "figure" }, stamp(found.time)),
      h("span", { class: "document-tools" },
        like && h("a", { class: "document-like", href: link("/search", { like: found.id }) }, "Like this"), scored(found)),
    ),
    h("p", { class: "document-text" }, opening(found.text)),
    found.reasons?.length > 0 && reasons(found.reasons, found.id),
  );
}

/** A label as a chip; nothing without one. */
export function label(name) {
  return name !== null && name !== undefined && h("span", { class: "chip label" }, name);
}

/** A list of documents. */
export function documentList(documents, options) {
  return h("ol", { class: "documents" }, documents.map((found) => documentItem(found, options)));
}

function scored(found) {
  if (found.score !== undefined) return h("span", { class: "figure score", title: "Score" }, figure(found.score));
  if (found.strength !== undefined) {
    return h("span", { class: "figure score", title: "Strength of the topic" }, figure(found.strength));
  }
  return null;
}

function reasons(given, id) {
  return h(
    "ul",
    { class: "reasons", "aria-label": "Why it was found" },
    given.map((reason) =>
      h(
        "li",
        {},
        h(
          "a",
          { class: "chip", href: topicLink(reason.topic), title: `Its part in the cosine: ${figure(reason.part)}` },
          topicName(reason.topic, reason.name),
          h("span", { class: "figure" }, figure(reason.part)),
        ),
        h(
          "a",
          { class: "reason-words", href: documentLink(id, { topic: reason.topic }), title: "Show these words in the text" },
          words(reason.question_words),
          h("span", { "aria-label": "and" }, " ⟶ "),
          words(reason.words),
        ),
      ),
    ),
  );
}

function words(parts) {
  return parts.length ? parts.map(({ word }) => word).join(", ") : "–";
}

/** The beginning of a text in one paragraph. */
function opening(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain || "(an empty text)";
}
