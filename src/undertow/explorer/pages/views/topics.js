// Topics as a tree: nested cards of a cut, and a slider for how many there are.

import { aborted, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, whole } from "../core/format.js";
import { topicColour, topicColours } from "../core/palette.js";
import { rewrite } from "../core/router.js";
import { about, chooseCount, countParameter, topicCount, topicTree } from "../core/source.js";
import { onTheme } from "../core/theme.js";
import { Editing, mayEdit } from "../parts/editing.js";
import { topicSlider } from "../parts/slider.js";
import { empty, failed } from "../parts/states.js";
import { groupHead, tell, topicCard } from "../parts/topic_card.js";

const PAUSE = 120; // milliseconds that the slider rests before words are asked for
const known = new Map(); // what was told of topics, so that who comes back finds the page as high as it was

export function show(root, { query, signal }) {
  const page = new TopicsPage(root, query, signal);
  page.draw();
  return { update: (route) => page.moved(route.query) };
}

class TopicsPage {
  constructor(root, query, signal) {
    Object.assign(this, { root, signal, filter: query.get("filter") ?? "", records: known });
    this.n = topicCount(query);
    this.list = h("ol", { class: "topic-tree" });
    this.notice = h("div", {});
    this.found = h("p", { class: "figure", role: "status" });
    this.lede = h("p", { class: "lede" });
    this.editing = mayEdit() ? new Editing(this) : null;
    onTheme(() => this.cards(), signal);
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      this.request?.abort();
    });
  }

  get tree() {
    return topicTree();
  }

  draw() {
    this.slider = topicSlider(this.tree, this.n, (n) => this.choose(n));
    fill(
      this.root,
      h(
        "div",
        { class: "head" },
        h("div", { class: "head-text" }, h("h1", {}, "Topics"), this.lede),
        h("div", { class: "controls" }, this.found, this.filterBox(), this.editing?.button ?? hint()),
      ),
      h("div", { class: "slider-bar" }, this.slider.element, this.editing?.bar),
      this.notice,
      this.list,
    );
    this.again();
  }

  filterBox() {
    const box = h("input", {
      class: "field topic-filter", type: "text", value: this.filter, placeholder: "Filter by name, word or number",
      "aria-label": "Filter topics by name, word or number", "data-steps": true, autocomplete: "off", spellcheck: "false",
      on: {
        input: () => {
          this.filter = box.value;
          this.again();
        },
      },
    });
    return box;
  }

  /** Back and forward between numbers of topics. */
  moved(query) {
    this.n = topicCount(query);
    this.slider.set(this.n);
    this.again();
    return true;
  }

  choose(n) {
    chooseCount(n);
    this.n = this.tree.count(n);
    this.again();
  }

  /** After an edit: the tree is another one, and what was known of its topics may be too. */
  edited() {
    this.records.clear();
    this.list.querySelector("form.topic-name")?.remove();
    this.n = topicCount();
    const slider = topicSlider(this.tree, this.n, (n) => this.choose(n));
    this.slider.element.replaceWith(slider.element);
    this.slider = slider;
    this.again();
  }

  /** Cards at once, with the words that are known; the others follow. */
  again() {
    this.cards();
    rewrite("/topics", { n: countParameter(), filter: this.filter });
    clearTimeout(this.timer);
    this.request?.abort();
    this.timer = setTimeout(() => this.load(), this.records.size ? PAUSE : 0);
  }

  async load() {
    this.request = new AbortController();
    try {
      const { topics, above } = await get("/api/topics", { n: this.n }, { signal: this.request.signal });
      if (this.signal.aborted) return;
      fill(this.notice);
      this.learn([...above, ...topics].filter((record) => JSON.stringify(record) !== JSON.stringify(this.records.get(record.id))));
    } catch (error) {
      if (!aborted(error) && !this.signal.aborted) fill(this.notice, failed(error, () => this.load()));
    }
  }

  /** Words that have come: cards stay where they are, unless there is a filter, which may let others through now. */
  learn(records) {
    for (const record of records) this.records.set(record.id, record);
    if (this.filter.trim()) {
      if (records.length) this.cards();
      return;
    }
    for (const { id } of records) {
      const item = this.list.querySelector(`[data-topic="${Number(id)}"]`);
      if (item) tell(item, id, { records: this.records, wanted: "" });
    }
  }

  cards() {
    const cut = this.tree.cut(this.n);
    const colours = topicColours(this.tree, cut);
    const wanted = this.filter.trim().toLowerCase();
    const most = Math.max(1e-9, ...cut.map((node) => this.tree.share(node)));
    const look = { tree: this.tree, records: this.records, wanted, most, editing: this.editing, colour: (node) => colours.get(node) ?? topicColour(this.tree, node) };
    const kept = wanted ? new Set(cut.filter((node) => this.matches(node, wanted))) : null;
    const shown = this.tree.branches(this.n).map((branch) => item(branch, look, kept, 0)).filter(Boolean);
    const nested = shown.some((one) => one.matches(".topic-group"));
    const focused = document.activeElement?.closest?.("[data-topic]")?.dataset.topic;
    const form = this.list.querySelector("form.topic-name"); // a name that is being typed
    const typed = form?.closest("[data-topic]")?.dataset.topic;
    this.list.classList.toggle("flat", !nested);
    fill(this.list, shown.length ? shown : h("li", { class: "wide" }, empty("No topic has such a word", h("p", {}, "Each topic shows its most telling words; more topics have more of them."))));
    if (focused) this.list.querySelector(`[data-topic="${Number(focused)}"] a`)?.focus({ preventScroll: true });
    if (typed) this.goOnTyping(this.list.querySelector(`[data-topic="${Number(typed)}"] .topic-name`), form);
    this.found.textContent = wanted ? `${whole(kept.size)} of ${counted(cut.length, "topic")}` : "";
    this.lede.textContent = summary(this.tree, cut);
    this.editing?.refresh();
  }

  /** Cards are drawn anew when words arrive; the box with a name stays where it was. */
  goOnTyping(name, form) {
    name?.replaceWith(form);
    form.querySelector("input").focus({ preventScroll: true });
  }

  matches(node, wanted) {
    if (String(node) === wanted || this.tree.name(node).toLowerCase().includes(wanted)) return true;
    const record = this.records.get(node);
    return Boolean(record && [...record.words, ...record.phrases].some(({ word }) => word.toLowerCase().includes(wanted)));
  }
}

/** A card, or a group of them below the topic that holds them all; null where the filter leaves nothing. */
function item({ node, branches }, look, kept, depth) {
  if (!branches.length) return kept === null || kept.has(node) ? topicCard(node, look) : null;
  const inside = branches.map((branch) => item(branch, look, kept, depth + 1)).filter(Boolean);
  if (!inside.length) return null;
  const cards = inside.filter((one) => !one.matches(".topic-group")).length;
  const columns = inside.length > cards ? 4 : Math.min(4, cards);
  return h(
    "li",
    { class: `topic-group depth-${depth}`, style: { "--c": look.colour(node), "--columns": String(columns) }, "data-topic": node },
    groupHead(node, look, inside.length),
    h("ol", { class: "topic-inside" }, inside),
  );
}

/** Where the explorer was started for editing, but this tab has come without the token. */
function hint() {
  return about().has.edit && h("p", { class: "figure edit-hint" }, "To edit topics, open the address that the command printed.");
}

function summary(tree, cut) {
  const parts = [counted(tree.documents, tree.of === "index" ? "document" : "training document"), counted(cut.length, "topic")];
  if (about().kind === "index" && tree.of === "training" && about().documents !== null) parts[0] = counted(about().documents, "document");
  const dropped = tree.dropped.filter((node) => tree.has(node)).length;
  if (dropped) parts.push(`${counted(dropped, "topic")} dropped`);
  return parts.join(" · ");
}
