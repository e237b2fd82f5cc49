// What an edit has to know: a name, words, or a place in the tree.

import { h } from "../core/dom.js";
import { counted } from "../core/format.js";

const TOP = "top";

/** The name of merged topics: empty for one made of words, null where it was thought better of. */
export function askMerge(names) {
  const name = field("Name", "made of its words unless given");
  return asked("Merge topics", [h("ul", { class: "dialog-list" }, names.map((one) => h("li", {}, one))), name.label], "Merge", () => name.box.value.trim());
}

/** {name, words} of a topic around words. */
export function askWords() {
  const name = field("Name", "health", true);
  const words = field("Words, with commas or spaces between", "hospital, patients, doctor", true);
  const read = () => ({ name: name.box.value.trim(), words: words.box.value.split(/[\s,;]+/).filter(Boolean) });
  return asked("New topic around words", [h("p", { class: "card-note" }, "It takes the smallest topics in which these words stand out."), name.label, words.label], "Make it", read);
}

/** The id of a topic to hang another one below; null for the top, undefined where it was thought better of. */
export async function askPlace(tree, node, n) {
  const offered = places(tree, node, n);
  const select = h("select", { class: "field", "aria-label": "Where to" },
    h("option", { value: TOP }, "The top, beside the widest topics"),
    offered.map((other) => h("option", { value: String(other) }, `${tree.name(other)} (${counted(tree.size(other), "document")})`)));
  const chosen = await asked(`Move “${tree.name(node)}”`, [h("label", { class: "dialog-field" }, "Below", select)], "Move", () => select.value);
  if (chosen === null) return undefined;
  return chosen === TOP ? null : Number(chosen);
}

/** Topics that can hold another one: those shown that have parts, and all above them; not what lies in it. */
function places(tree, node, n) {
  const shown = tree.cut(n).flatMap((other) => [other, ...tree.above(other)]);
  const fits = (other) => tree.below[other].length > 0 && !tree.liesIn(other, node) && !tree.isDropped(other) && tree.parents[node] !== other;
  return tree.sorted([...new Set(shown)].filter(fits));
}

function field(text, placeholder, required = false) {
  const box = h("input", { class: "field", type: "text", maxlength: "200", placeholder, required, autocomplete: "off" });
  return { box, label: h("label", { class: "dialog-field" }, text, box) };
}

/** A dialog; resolves with what was read of it, or null. */
function asked(title, content, act, read) {
  return new Promise((resolve) => {
    let answer = null;
    const dialog = h(
      "dialog",
      { class: "dialog", "aria-label": title },
      h("form", { class: "dialog-form", on: {
        submit: (event) => {
          event.preventDefault();
          answer = read();
          dialog.close();
        },
      } },
      h("h2", {}, title), content,
      h("div", { class: "dialog-acts" },
        h("button", { type: "button", class: "button", on: { click: () => dialog.close() } }, "Cancel"),
        h("button", { type: "submit", class: "button primary" }, act))),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
