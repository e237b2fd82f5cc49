// One document: how much of it is about which topic, each word tinted by what it did for one, and its neighbours.

import { get, ofDocument } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { figure, percent, stamp, whole } from "../core/format.js";
import { restColour, topicColours } from "../core/palette.js";
import { documentLink, link, topicLink } from "../core/router.js";
import { countParameter, topicCount, topicName, topicTree } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { topicSelect } from "../parts/controls.js";
import { documentList, label, original } from "../parts/documents.js";
import { failed } from "../parts/states.js";
import { markedText, wordTotals } from "../parts/marked_text.js";

const NEAREST = 8;
const LONGEST = 100_000; // characters of a text whose words are weighed as a whole

export async function show(root, { parts, query, signal, open }) {
  const page = new DocumentPage(parts[0], root, signal);
  topicCount(query);
  await page.draw(query.get("topic"));
  open();
  page.nearest();
  return { update: (route) => route.parts[0] === page.id && page.choose(route.query.get("topic")) };
}

/** The further columns of the corpus, closed at first. */
function kept(columns) {
  const rows = Object.entries(columns);
  return rows.length > 0 && h("details", { class: "kept" }, h("summary", {}, "All that is known of it"),
    h("dl", {}, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))])));
}

class DocumentPage {
  constructor(id, root, signal) {
    Object.assign(this, { id, root, signal });
    this.text = h("section", { class: "card reading", "aria-label": "Text" });
    this.side = h("aside", { class: "stack", "aria-label": "Topics and words" });
    this.others = h("section", { class: "section" }, h("h2", {}, "Nearest documents"), h("p", { class: "card-note" }, "Loading…"));
    onTheme(() => this.found && this.tint(this.found), signal);
  }

  load(topic, offset = this.found?.offset) {
    return get(ofDocument("documents", this.id), { topic, n: countParameter(), offset: offset || null }, { signal: this.signal });
  }

  link(topic) {
    return documentLink(this.id, { topic, n: countParameter() });
  }

  async draw(topic) {
    const found = await this.load(topic);
    fill(
      this.root,
      h(
        "div",
        { class: "head" },
        h(
          "div",
          { class: "head-text" },
          h("h1", { class: "document-title" }, found.title),
          h("p", { class: "lede facts" }, found.title !== this.id && h("span", {}, this.id), label(found.label), found.split && h("span", {}, found.split),
            found.time !== null && h("span", {}, stamp(found.time)), original(found.url)),
          kept(found.kept),
        ),
        h("div", { class: "controls" }, h("a", { class: "button", href: link("/search", { like: this.id }) }, "Like this")),
      ),
      h("div", { class: "document-columns" }, this.side, h("div", { class: "document-main" }, this.text, this.others)),
    );
    this.tint(found);
  }

  /** Another topic was chosen: everything else stays where it is. */
  choose(topic) {
    this.wanted = topic;
    const last = () => this.wanted === topic && !this.signal.aborted; // answers may overtake each other
    this.load(topic).then((found) => last() && this.tint(found)).catch((error) => last() && fill(this.text, failed(error)));
    return true;
  }

  tint(found) {
    this.found = found;
    const name = found.chosen === null ? "" : topicName(found.chosen);
    fill(this.text, markedText(found, name), found.shortened && this.parts(found));
    fill(this.side, this.choice(found), found.chosen !== null && this.words(found, name));
  }

  /** Long texts come in parts: which one this is, and the way to the others. */
  parts({ offset, next, length, chosen }) {
    const end = next ?? length;
    const go = (to, words) => h("button", { type: "button", on: { click: () => this.part(chosen, to) } }, words);
    return h("p", { class: "notice" }, `Characters ${whole(offset + 1)} to ${whole(end)} of ${whole(length)}. `,
      offset > 0 && go(0, "The beginning"), next !== null && go(next, "The next part"));
  }

  part(topic, offset) {
    this.load(topic, offset).then((found) => {
      this.tint(found);
      this.text.scrollIntoView();
    }).catch((error) => {
      if (!this.signal.aborted) fill(this.text, failed(error));
    });
  }

  /** A bar of shares, and the topics to choose one from. */
  choice({ topics, none, chosen }) {
    const tree = topicTree();
    const colours = topicColours(tree, tree.cut(topicCount()));
    const colour = (id) => ({ "--c": colours.get(id) ?? restColour() });
    const row = ({ id, name, share }) =>
      h("li", { style: colour(id) }, h("a", { class: "share-row", href: this.link(id), "aria-current": id === chosen ? "true" : null },
        h("span", { class: "swatch" }), h("span", { class: "legend-name" }, name), h("span", { class: "figure" }, percent(share))));
    const other = chosen !== null && !topics.some(({ id }) => id === chosen);
    return h(
      "section",
      { class: "card" },
      h("h2", {}, topics.length ? "What it is about" : chosen === null ? "No topic: no word is known" : "Far from all topics"),
      topics.length > 0 && h("div", { class: "share-bar", role: "img", "aria-label": topics.map(({ name, share }) => `${name} ${percent(share)}`).join(", ") },
        topics.map(({ id, name, share }) => h("span", { style: { ...colour(id), "--w": `${100 * share}%` }, title: `${name}: ${percent(share)}` }))),
      h("ul", { class: "share-rows" }, topics.map(row), other && row({ id: chosen, name: topicName(chosen), share: 0 }),
        topics.length > 0 && none > 0.005 && h("li", { class: "share-row" }, h("span", { class: "swatch none" }), h("span", { class: "legend-name" }, "none of them"), h("span", { class: "figure" }, percent(none)))),
      chosen !== null && topicSelect("Tint by another topic", tree.cut(topicCount()).map((id) => ({ id, name: tree.name(id) })), {
        first: "Another topic…", without: topics.map(({ id }) => id), change: (id) => (location.hash = this.link(id)),
      }),
    );
  }

  words(found, name) {
    const sums = found.spans.reduce((sum, { part }) => sum + part, 0);
    return h(
      "section",
      { class: "card" },
      h("h2", {}, "Words that carried it there"),
      h("p", { class: "card-note" }, h("a", { href: topicLink(found.chosen) }, name), found.shortened ? `, ${found.length > LONGEST ? "this part" : "whole text"}: cosine ` : ": together a cosine of ",
        h("strong", { class: "total", "data-total": String(found.total), "data-sum": String(sums) }, figure(found.total))),
      wordTotals(found.spans),
    );
  }

  async nearest() {
    try {
      const { results } = await get(ofDocument("nearest", this.id), { n: NEAREST }, { signal: this.signal });
      fill(this.others, h("h2", {}, "Nearest documents"), results.length ? documentList(results) : h("p", { class: "card-note" }, "None: no other document shares a word or a topic with it."));
    } catch (error) {
      if (this.signal.aborted) return;
      const unknown = error.status === 422;
      fill(this.others, h("h2", {}, "Nearest documents"), unknown ? h("p", { class: "card-note" }, error.message) : failed(error, () => this.nearest()));
    }
  }
}
