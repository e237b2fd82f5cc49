// Editing topics on their cards: rename in place, merge, split, drop, move, seed. What is done is kept at once.

import { token } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted } from "../core/format.js";
import { about, edit } from "../core/source.js";
import { askWords, askMerge, askPlace } from "./edit_dialogs.js";
import { toast } from "./toast.js";

/** Whether topics can be edited from here: the explorer was started for it, and this tab has the token. */
export function mayEdit() {
  return about().has.edit && Boolean(token());
}

export class Editing {
  /** `page` has the tree, the number of topics `n`, and edited(), which draws it anew. */
  constructor(page) {
    Object.assign(this, { page, on: false, busy: false, ticked: new Set() });
    this.button = h("button", { type: "button", class: "button edit-button", "aria-pressed": "false", on: { click: () => this.toggle() } }, "Edit");
    this.merge = h("button", { type: "button", class: "button small", on: { click: () => this.merged() } });
    this.dropped = h("details", { class: "edit-dropped" });
    this.bar = h(
      "div",
      { class: "edit-bar", hidden: true, role: "toolbar", "aria-label": "Edit topics" },
      this.merge,
      h("button", { type: "button", class: "button small", on: { click: () => this.seeded() } }, "New topic around words…"),
      h("a", { class: "edit-file", href: "/api/curation", download: "curation.json" }, "Save what was done"),
      this.dropped,
    );
  }

  toggle() {
    this.on = !this.on;
    this.ticked.clear();
    this.button.setAttribute("aria-pressed", String(this.on));
    this.button.textContent = this.on ? "Done" : "Edit";
    this.bar.hidden = !this.on;
    this.page.cards();
  }

  refresh() {
    const { tree } = this.page;
    for (const node of this.ticked) if (!tree.has(node)) this.ticked.delete(node);
    this.merge.disabled = this.ticked.size < 2;
    this.merge.textContent = this.ticked.size < 2 ? "Tick topics to merge them" : `Merge ${counted(this.ticked.size, "topic")}…`;
    const junk = tree.dropped.filter((node) => tree.has(node));
    this.dropped.hidden = !junk.length;
    fill(this.dropped, h("summary", {}, `${counted(junk.length, "topic")} dropped`), h("ul", { class: "chips" }, junk.map((node) =>
      h("li", {}, h("button", { type: "button", class: "chip", title: "Take it back", on: { click: () => this.restore(node) } }, `↺ ${tree.name(node)}`)))));
  }

  /** What stands before a name: a box to tick. */
  tick(node) {
    if (!this.on) return null;
    return h("input", {
      type: "checkbox", class: "topic-tick", checked: this.ticked.has(node), "aria-label": `Choose ${this.page.tree.name(node)}`,
      on: {
        change: (event) => {
          if (event.target.checked) this.ticked.add(node);
          else this.ticked.delete(node);
          this.refresh();
        },
      },
    });
  }

  /** What stands at the foot of a card. */
  tools(node) {
    if (!this.on) return null;
    const { tree } = this.page;
    const name = tree.name(node);
    const button = (text, label, click, disabled = false) => h("button", { type: "button", class: "text-button", "aria-label": label, disabled, on: { click } }, text);
    return h(
      "div",
      { class: "topic-tools" },
      button("Rename", `Rename ${name}`, (event) => this.rename(node, event.target.closest("[data-topic]"))),
      button("Split", `Split ${name}`, () => this.do({ action: "split", topic: node }, `“${name}” is shown in its parts.`), !tree.below[node].length),
      button("Move…", `Move ${name}`, () => this.move(node)),
      button("Drop", `Drop ${name}`, () => this.drop(node)),
    );
  }

  /** The name becomes a box: Enter keeps what it says, Esc does not; empty gives the topic its own name back. */
  rename(node, card) {
    const before = card.querySelector(".topic-name");
    const box = h("input", { class: "field rename-box", type: "text", value: this.page.tree.name(node), maxlength: "200", "aria-label": "The topic’s name", autocomplete: "off" });
    const form = h("form", { class: "topic-name", on: {
      submit: (event) => {
        event.preventDefault();
        this.do({ action: "rename", topic: node, name: box.value }, box.value.trim() ? "Renamed." : "The name is its own again.");
      },
      keydown: (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        form.replaceWith(before);
        before.querySelector("a").focus();
      },
    } }, box, h("button", { type: "submit", class: "button small" }, "Keep"));
    before.replaceWith(form);
    box.select();
    box.focus();
  }

  drop(node) {
    const undo = ["Undo", () => this.restore(node)];
    return this.do({ action: "drop", topic: node }, `“${this.page.tree.name(node)}” was dropped.`, undo);
  }

  restore(node) {
    return this.do({ action: "restore", topic: node }, `“${this.page.tree.name(node)}” is back.`);
  }

  async merged() {
    const topics = [...this.ticked];
    const name = await askMerge(topics.map((node) => this.page.tree.name(node)));
    if (name === null) return;
    if (await this.do({ action: "merge", topics, name }, `${counted(topics.length, "topic")} are one now.`)) this.ticked.clear();
    this.page.cards();
  }

  async move(node) {
    const under = await askPlace(this.page.tree, node, this.page.n);
    if (under !== undefined) this.do({ action: "move", topic: node, under }, "Moved.");
  }

  async seeded() {
    const given = await askWords();
    if (given !== null) this.do({ action: "seed", ...given }, `“${given.name}” is a topic now.`);
  }

  /** Sends an edit and shows what came of it; says whether it worked. */
  async do(action, message, act = null) {
    if (this.busy) return false;
    this.busy = true;
    try {
      await edit(action);
      this.page.edited();
      toast(message, { act });
      return true;
    } catch (error) {
      toast(`This did not work: ${error.message}`, { error: true });
      return false;
    } finally {
      this.busy = false;
    }
  }
}
