// The frame: what is explored, which page is shown, and how far the overview is.

import { get, takeToken } from "./core/api.js";
import { wireKeys } from "./core/keys.js";
import { again, start } from "./core/router.js";
import { about, learn, loadTree, renewTopics } from "./core/source.js";
import { wireTheme } from "./core/theme.js";
import { needsIndex, needsTree } from "./parts/states.js";

const ROUTES = [
  { page: "topics", title: "Topics", tree: true, pattern: /^\/topics\/?$/, load: () => import("./views/topics.js") },
  { page: "topic", title: "Topic", nav: "topics", tree: true, pattern: /^\/topics\/(\d+)$/, load: () => import("./views/topic.js") },
  { page: "compare", title: "Compare", nav: "topics", tree: true, pattern: /^\/compare\/(\d+)\/(\d+)$/, load: () => import("./views/compare.js") },
  { page: "map", title: "Map", needs: "The map", tree: true, pattern: /^\/map$/, load: () => import("./views/map.js") },
  { page: "search", title: "Search", needs: "Search", pattern: /^\/search$/, load: () => import("./views/search.js") },
  { page: "document", title: "Document", needs: "This page", tree: true, nav: "search", pattern: /^\/documents\/(.+)$/s, load: () => import("./views/document.js") },
  { page: "time", title: "Topics over time", needs: "This page", tree: true, pattern: /^\/time$/, load: () => import("./views/time.js") },
  { page: "training", title: "Training", pattern: /^\/training$/, load: () => import("./views/training.js") },
];
const POLL = 1000; // milliseconds
const BUSY = "input:focus, select:focus, .edit-button[aria-pressed=true]"; // a page in use is not drawn anew

const $ = (id) => document.getElementById(id);
const nav = $("nav");
const menu = $("menu");

function openMenu(open) {
  nav.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
}

/** Marks the page in the navigation. */
function shown(route) {
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.page === (route.nav ?? route.page)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openMenu(false);
  $("keys").close();
}

/** The title of the window; a screen reader is told too. */
function arrived(heading) {
  const parts = [heading, about()?.name, "undertow"];
  document.title = parts.filter(Boolean).join(" · ");
  $("announcer").textContent = heading;
}

/** What a page waits for: to know what is explored; a page of documents is something else without any. */
async function begin(route) {
  const [facts, tree] = await Promise.all([learn(), loadTree()]); // all pages name topics
  named(facts);
  const instead = (element) => ({ show: (root) => void root.replaceChildren(element) });
  if (route.needs && facts.kind !== "index") return instead(needsIndex(route.title, route.needs));
  return route.tree && tree === null ? instead(needsTree(route.title)) : null;
}

let watching = false;

function named(facts) {
  $("source").textContent = facts.name;
  if (facts.overview === "computing" && !watching) watch();
}

/** Shows how far the overview is; pages that know more with it are drawn again when it has come. */
async function watch() {
  watching = true;
  for (;;) {
    const facts = await get("/api/about", {}, { fresh: true }).catch(() => null);
    learn(facts);
    document.dispatchEvent(new CustomEvent("overview", { detail: facts }));
    const computing = facts?.overview === "computing";
    $("map-note").textContent = computing ? `${Math.round(100 * facts.overview_progress)} %` : "";
    if (facts !== null && !computing) break;
    await new Promise((resolve) => setTimeout(resolve, POLL));
  }
  watching = false;
  await renewTopics().catch(() => null); // the old tree stays, then
  if (!document.querySelector(BUSY) && !location.hash.startsWith("#/search")) again();
}

menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});
takeToken();
wireTheme($("theme"));
wireKeys($("keys"), $("show-keys"));
start(ROUTES, { shown, arrived, begin });
