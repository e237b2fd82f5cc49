// Small controls: a choice of a few, and a choice of a topic.

import { h, icon } from "../core/dom.js";

let names = 0;

/** Radio buttons in a row: options are [value, text, icon?]. */
export function segmented(legend, options, chosen, change) {
  const name = `choice-${++names}`;
  return h(
    "fieldset",
    { class: "segmented" },
    h("legend", { class: "hidden" }, legend),
    options.map(([value, text, drawing]) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio", name, value, checked: value === chosen, on: { change: () => change(value) },
        }),
        drawing && icon(drawing),
        h("span", {}, text),
      ),
    ),
  );
}

/** Ticks the radio button with a value. */
export function tick(fieldset, value) {
  for (const input of fieldset.querySelectorAll("input")) input.checked = input.value === value;
}

/** A list of topics to choose one from. */
export function topicSelect(label, topics, { first, without = [], change }) {
  const inOrder = [...topics].sort((one, other) => one.name.localeCompare(other.name));
  return h(
    "select",
    {
      class: "field", "aria-label": label,
      on: {
        change: (event) => {
          if (event.target.value !== "") change(Number(event.target.value));
        },
      },
    },
    h("option", { value: "" }, first),
    inOrder
      .filter(({ id }) => !without.includes(id))
      .map(({ id, name }) => h("option", { value: String(id) }, name)),
  );
}
