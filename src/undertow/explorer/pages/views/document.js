// One document: each word tinted by what it did to a topic, the topics to choose from, and its neighbours.

import { get, ofDocument } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { percent, signed, stamp } from "../core/format.js";
import { documentLink, link, topicLink } from "../core/router.js";
import { allTopics, topicName } from "../core/source.js";
import { topicSelect } from "../parts/controls.js";
import { documentList, label } from "../parts/documents.js";
import { failed } from "../parts/states.js";
import { markedText, wordTotals } from "../parts/marked_text.js";

const NEAREST = 8;
const FEW = 8; // topics shown at once

export async function show(root, { parts, query, signal, open }) {
  const page = new DocumentPage(parts[0], root, signal);
  await page.draw(query.get("topic"));
  open();
  page.nearest();
  return { update: (route) => route.parts[0] === page.id && page.choose(route.query.get("topic")) };
}

class DocumentPage {
  constructor(id, root, signal) {
    Object.assign(this, { id, root, signal });
    this.text = h("section", { class: "card reading", "aria-label": "Text" });
    this.side = h("aside", { class: "stack", "aria-label": "Topics and words" });
    this.others = h("section", { class: "section" }, h("h2", {}, "Nearest documents"), h("p", { class: "card-note" }, "Loading…"));
  }

  async load(topic) {
    return get(ofDocument("documents", this.id), { topic }, { signal: this.signal });
  }

  async draw(topic) {
    const [found, topics] = await Promise.all([this.load(topic), allTopics(this.signal)]);
    this.topics = topics;
    fill(
      this.root,
      h(
        "div",
        { class: "head" },
        h(
          "div",
          { class: "head-text" },
          h("h1", { class: "document-title" }, this.id),
          h("p", { class: "lede facts" }, label(found.label), found.split && h("span", {}, found.split),
            found.time !== null && h("span", {}, stamp(found.time))),
        ),
        h("div", { class: "controls" }, h("a", { class: "button", href: link("/search", { like: this.id }) }, "Like this")),
      ),
      h("div", { class: "document-columns" }, this.side, h("div", { class: "document-main" }, this.text, this.others)),
    );
    this.tint(found);
  }

  /** Another topic was chosen: everything else stays where it is. */
  choose(topic) {
    this.load(topic).then((found) => this.tint(found)).catch((error) => {
      if (!this.signal.aborted) fill(this.text, failed(error));
    });
    return true;
  }

  tint(found) {
    const name = this.topics.find(({ id }) => id === found.chosen)?.name ?? "";
    fill(this.text, markedText(found, name), found.shortened && h("p", { class: "notice" }, "The text is longer; this is its beginning."));
    fill(this.side, this.choice(found), found.chosen !== null && this.words(found, name));
  }

  choice(found) {
    const chip = ({ id, name, strength }) =>
      h("li", {},
        h("a", { class: "chip", href: documentLink(this.id, { topic: id }), "aria-current": id === found.chosen ? "true" : null, title: `On with a probability of ${percent(strength)}` },
          topicName(id, name), strength < 0.995 && h("span", { class: "figure" }, percent(strength))));
    const on = found.topics;
    const other = found.chosen !== null && !on.some(({ id }) => id === found.chosen);
    const chosen = other && this.topics.find(({ id }) => id === found.chosen);
    return h(
      "section",
      { class: "card" },
      h("h2", {}, on.length ? "Topics that are on" : "No topic is on"),
      h("ul", { class: "chips" }, on.slice(0, FEW).map(chip), chosen && h("li", {}, h("a", { class: "chip", href: topicLink(chosen.id), "aria-current": "true" }, chosen.name, h("span", { class: "figure" }, "off")))),
      on.length > FEW && h("details", { class: "more-topics", open: on.findIndex(({ id }) => id === found.chosen) >= FEW },
        h("summary", {}, `${on.length - FEW} more`), h("ul", { class: "chips" }, on.slice(FEW).map(chip))),
      topicSelect("Tint by another topic", this.topics, {
        first: "Another topic…", without: on.map(({ id }) => id), change: (id) => (location.hash = documentLink(this.id, { topic: id })),
      }),
    );
  }

  words(found, name) {
    const sums = found.spans.reduce((sum, { part }) => sum + part, 0);
    return h(
      "section",
      { class: "card" },
      h("h2", {}, "Words that moved it"),
      h("p", { class: "card-note" }, h("a", { href: topicLink(found.chosen) }, name), found.shortened ? ", whole text: " : ": together ",
        h("strong", { class: "total", "data-total": String(found.total), "data-sum": String(sums) }, signed(found.total))),
      wordTotals(found.spans),
    );
  }

  async nearest() {
    try {
      const { results } = await get(ofDocument("nearest", this.id), { n: NEAREST }, { signal: this.signal });
      fill(this.others, h("h2", {}, "Nearest documents"), results.length ? documentList(results) : h("p", { class: "card-note" }, "None: the model knows no word of this text."));
    } catch (error) {
      if (this.signal.aborted) return;
      const unknown = error.status === 422;
      fill(this.others, h("h2", {}, "Nearest documents"), unknown ? h("p", { class: "card-note" }, error.message) : failed(error, () => this.nearest()));
    }
  }
}
