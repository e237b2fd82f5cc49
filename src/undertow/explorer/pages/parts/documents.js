// Documents in lists: a link, a label, the beginning of the text, and why it was found.

import { h, outside } from "../core/dom.js";
import { roundPercent, stamp, whole } from "../core/format.js";
import { documentLink, link } from "../core/router.js";
import { whyLine } from "./why.js";

const LISTED = 50; // of the documents that are nearly the same

/** One document. `found` has id, text, label, and where there are any: title, url, score, time, topics, why, alike. */
export function documentItem(found, { topic, like = false, typed = false } = {}) {
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
    found.why && whyLine(found, { typed }),
    found.alike?.length > 0 && others(found.alike),
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
  return found.score !== undefined && h("span", { class: "figure score", title: "Score: the share of the best possible" }, roundPercent(found.score));
}

/** Links to the documents that it stands for. */
function others(ids) {
  const rest = ids.length - LISTED;
  return h(
    "details",
    { class: "alike" },
    h("summary", { title: "Documents that are nearly the same" }, `${whole(ids.length)} more like this`),
    h("ul", { class: "alike-list" },
      ids.slice(0, LISTED).map((id) => h("li", {}, h("a", { href: documentLink(id) }, id))), rest > 0 && h("li", {}, `and ${whole(rest)} others`)),
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

/** The beginning of a text in one paragraph. */
function opening(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain || "(an empty text)";
}
