// Documents in lists: a link, a label, the beginning of the text, and why it was found.

import { h, outside } from "../core/dom.js";
import { figure, percent, stamp } from "../core/format.js";
import { topicColour } from "../core/palette.js";
import { documentLink, link } from "../core/router.js";
import { topicName, topicTree } from "../core/source.js";

const TOGETHER = 6; // words that stand for all reasons

/** One document. `found` has id, text, label, and where there are any: title, url, score, time, topics, reasons. */
export function documentItem(found, { topic, like = false } = {}) {
  return h(
    "li",
    { class: "document" },
    h(
      "div",
      { class: "document-head" },
      h("a", { class: "document-id", href: documentLink(found.id, { topic }), "data-step": true }, found.title ?? found.id),
      found.title && h("span", { class: "figure" }, found.id),
      label(found.label),
      found.time !== null && found.time !== undefined && h("span", { class: "figure" }, stamp(found.time)),
      original(found.url),
      h("span", { class: "document-tools" },
        like && h("a", { class: "document-like", href: link("/search", { like: found.id }) }, "Like this"), scored(found)),
    ),
    (found.text.trim() || !found.title) && h("p", { class: "document-text" }, opening(found.text)),
    found.topics?.length > 0 && topics(found.topics, found.id),
    found.reasons?.length > 0 && reasons(found.reasons),
  );
}

/** A label as a chip; nothing without one. */
export function label(name) {
  return name !== null && name !== undefined && h("span", { class: "chip label" }, name);
}

/** A link to where a document comes from, under the name of the host; nothing without one. */
export function original(url) {
  if (!url) return null;
  return h("span", { class: "figure document-origin" }, outside(url, `${host(url)} ↗`));
}

function host(url) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** A list of documents. */
export function documentList(documents, options) {
  return h("ol", { class: "documents" }, documents.map((found) => documentItem(found, options)));
}

function scored(found) {
  return found.score !== undefined && h("span", { class: "figure score", title: "Score" }, figure(found.score));
}

/** The topics of a document as chips, with their shares. */
function topics(given, id) {
  return h("ul", { class: "chips", "aria-label": "Its topics" }, given.map(({ id: topic, name, share }) =>
    h("li", {}, h("a", { class: "chip topic-chip", href: documentLink(id, { topic }), style: { "--c": topicColour(topicTree(), topic) }, title: "Show what carried it there" },
      h("span", { class: "swatch" }), topicName(topic, name), h("span", { class: "figure" }, percent(share))))));
}

/** Why it was found: hidden units that question and document share, each with the words that switched it on. */
function reasons(given) {
  return h(
    "details",
    { class: "why" },
    h("summary", {}, "Why it was found: ", words(together(given, "question_words")), h("span", { "aria-label": "and" }, " ⟶ "), words(together(given, "words"))),
    h("ul", { class: "reasons" }, given.map((reason) =>
      h(
        "li",
        {},
        h("a", { class: "chip", href: link("/training", { unit: reason.unit }), title: `A hidden unit; its part in the cosine: ${figure(reason.part)}` },
          reason.name, h("span", { class: "figure" }, figure(reason.part))),
        h("span", { class: "reason-words" }, words(reason.question_words), h("span", { "aria-label": "and" }, " ⟶ "), words(reason.words)),
      ))),
  );
}

/** Documents with the sentence that shows why they stand for a topic. */
export function quotedDocuments(given, topic) {
  return h("ol", { class: "documents" }, given.map(({ id, title, sentence, here, label: name }) =>
    h(
      "li",
      { class: "document" },
      h("div", { class: "document-head" },
        here ? h("a", { class: "document-id", href: documentLink(id, { topic }), "data-step": true }, title) : h("strong", {}, title), label(name)),
      h("blockquote", { class: "document-quote" }, sentence),
      title !== id && h("p", { class: "figure document-of" }, id),
    )));
}

/** The words of all reasons, each once, the strongest reason's first. */
function together(given, side) {
  return [...new Map(given.flatMap((reason) => reason[side]).map((part) => [part.word, part])).values()].slice(0, TOGETHER);
}

function words(parts) {
  return parts.length ? parts.map(({ word }) => word).join(", ") : "–";
}

/** The beginning of a text in one paragraph. */
function opening(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain || "(an empty text)";
}
