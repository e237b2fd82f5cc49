// Before the first paint: the theme that was chosen, so that a dark page does not flash white.
"use strict";
try {
  const chosen = localStorage.getItem("undertow-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage may be switched off; the system's theme is used then
}
