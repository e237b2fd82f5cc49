// Light and dark: the system's choice until the button is used; kept in localStorage from then on.

import { fill, icon } from "./dom.js";

const NAME = "undertow-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

/** Whether the page is dark now. */
export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : system.matches;
}

/** Calls back when the theme changes, until the signal ends it. */
export function onTheme(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener("abort", () => listeners.delete(listener));
}

/** Makes the button that switches. */
export function wireTheme(button) {
  const label = () => {
    const other = isDark() ? "light" : "dark";
    fill(button, icon(isDark() ? "sun" : "moon"));
    button.setAttribute("aria-label", `Switch to the ${other} theme`);
    button.title = `Switch to the ${other} theme`;
  };
  const changed = () => {
    label();
    for (const listener of listeners) listener();
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(NAME, theme);
    } catch {
      // not kept then
    }
    changed();
  });
  system.addEventListener("change", changed);
  label();
}
