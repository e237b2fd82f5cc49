// The keyboard: / to search, j and k through lists, Esc to leave, ? for help.

import { fill, h, icon } from "./dom.js";
import { go, leave } from "./router.js";

const KEYS = [
  [["/"], "Search"],
  [["j", "↓"], "Next in a list"],
  [["k", "↑"], "The one before"],
  [["Enter"], "Open it"],
  [["Esc"], "Leave the box, the selection or the document"],
  [["t"], "Topics"],
  [["m"], "Map"],
  [["?"], "These keys"],
];

/** Listens; `dialog` is where the help goes, `button` opens it too. */
export function wireKeys(dialog, button) {
  const close = h(
    "button",
    { type: "button", class: "icon-button", "aria-label": "Close", on: { click: () => dialog.close() } },
    icon("close"),
  );
  fill(
    dialog,
    h("div", { class: "dialog-head" }, h("h2", { id: "keys-title" }, "Keys"), close),
    h("dl", {}, KEYS.map(([keys, what]) => [h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, what)])),
  );
  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  addEventListener("keydown", (event) => pressed(event, dialog));
}

function pressed(event, dialog) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const typing = event.target.closest?.("input:not([type=radio], [type=range], [type=checkbox]), select, textarea");
  const listing = event.target.closest?.("[data-step], [data-steps]");
  const acts = {
    Escape: () => left(typing),
    ArrowDown: () => (typing?.matches("[data-steps]") || (!typing && listing)) && step(1),
    ArrowUp: () => !typing && listing && step(-1),
    ...(typing ? {} : {
      "/": search,
      "?": () => (dialog.showModal(), true),
      j: () => step(1),
      k: () => step(-1),
      t: () => (go("#/topics"), true),
      m: () => (go("#/map"), true),
    }),
  };
  if (acts[event.key]?.()) event.preventDefault();
}

/** To the box of the page, or to the page with the box. */
function search() {
  const box = document.querySelector("[data-search]");
  if (box) {
    box.focus();
    box.select();
  } else {
    go("#/search");
  }
  return true;
}

/** Moves through the links of lists; from the first up, back into the box. */
function step(by) {
  const links = [...document.querySelectorAll("main [data-step]")].filter((link) => link.checkVisibility());
  if (!links.length) return false;
  const here = links.indexOf(document.activeElement);
  if (here === 0 && by < 0 && document.querySelector("[data-steps]")) return search();
  const next = links[Math.min(links.length - 1, Math.max(0, here + by))];
  next.focus({ preventScroll: true });
  const item = next.closest("li") ?? next;
  item.scrollIntoView({ block: "nearest" });
  return true;
}

function left(typing) {
  const handled = !document.dispatchEvent(new CustomEvent("leave", { cancelable: true }));
  if (handled) return true;
  if (typing) {
    typing.blur();
    return true;
  }
  if (document.querySelector(".view-document, .view-topic, .view-compare")) {
    leave("#/topics");
    return true;
  }
  document.activeElement?.blur();
  return false;
}
