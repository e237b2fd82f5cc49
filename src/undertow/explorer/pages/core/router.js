// Which page is shown: the fragment of the address, such as #/documents/a%2Fb?topic=3, so that links and Back work.

import { aborted } from "./api.js";
import { failed, loading } from "../parts/states.js";

let routes = [];
let hooks = {};
let current = null; // {page, view, control}
const scrolls = new Map(); // how far down each entry of the history was when it was left
let entries = 0;
let here = null; // the entry that is shown

/** A link within the pages. */
export function link(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return `#${path}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

/** The link of a document, of a topic. */
export const documentLink = (id, query) => link(`/documents/${encodeURIComponent(id)}`, query);
export const topicLink = (id) => link(`/topics/${id}`);

/** Writes what is being looked at into the address, without another entry in the history. */
export function rewrite(path, query) {
  history.replaceState(history.state, "", link(path, query));
}

/** Goes to a link. */
export function go(target) {
  if (location.hash === target) render();
  else location.hash = target;
}

/** Goes back where there is something to go back to. */
export function leave(otherwise) {
  if ((history.state?.entry ?? 1) > 1) history.back();
  else go(otherwise);
}

/** Starts: `table` is a list of {page, pattern, load}; `begin` may show something else, `shown` is told the page. */
export function start(table, given) {
  routes = table;
  hooks = given;
  history.scrollRestoration = "manual";
  addEventListener("hashchange", render);
  render();
}

/** Draws the page anew, as when the overview has come. */
export function again() {
  remember();
  current?.control.abort();
  current = null;
  render();
}

/** Keeps how far down the page was, before another one takes its place. */
function remember() {
  if (current?.arrived) scrolls.set(here, scrollY);
}

function parse() {
  const [path, query = ""] = (location.hash.startsWith("#/") ? location.hash.slice(1) : "/topics").split(/\?(.*)/s);
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match) return { ...route, path, parts: match.slice(1).map(decoded), query: new URLSearchParams(query) };
  }
  return null;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function render() {
  if (location.hash && !location.hash.startsWith("#/")) return; // the skip link
  const route = parse();
  if (route === null) {
    location.replace("#/topics");
    return;
  }
  remember();
  const returned = history.state?.entry !== undefined;
  if (!returned) history.replaceState({ entry: ++entries }, "");
  else entries = Math.max(entries, history.state.entry);
  here = history.state.entry;
  if (current?.page === route.page && current.view?.update?.(route)) return;
  current?.control.abort();
  const control = new AbortController();
  current = { page: route.page, view: null, control, arrived: false };
  show(route, current, returned);
}

async function show(route, mine, returned) {
  const main = document.getElementById("main");
  const { signal } = mine.control;
  hooks.shown(route);
  const waiting = setTimeout(() => main.replaceChildren(loading()), 150); // quick pages do not flicker
  signal.addEventListener("abort", () => clearTimeout(waiting)); // another page is shown already
  try {
    const root = document.createElement("div");
    root.className = `view view-${route.page}`;
    const open = () => {
      clearTimeout(waiting);
      if (signal.aborted || root.isConnected) return;
      main.replaceChildren(root);
      scrollTo(0, 0);
    };
    const view = (await hooks.begin(route, root, signal)) ?? (await route.load());
    mine.view = await view.show?.(root, { ...route, signal, open });
    open();
    if (signal.aborted) return;
    arrive(root, returned, signal);
    mine.arrived = true;
    if (!returned) mine.view?.shown?.();
  } catch (error) {
    clearTimeout(waiting);
    if (aborted(error) || signal.aborted) return;
    main.replaceChildren(failed(error, again));
    arrive(main, false, signal);
  }
}

/** Where the reader goes on: at the heading of a new page, or where it was left. */
function arrive(root, returned, signal) {
  const heading = root.querySelector("h1");
  hooks.arrived(heading?.textContent ?? "");
  if (returned) {
    scrollBack(root, scrolls.get(here) ?? 0, signal);
  } else if (!root.contains(document.activeElement)) {
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  }
}

/** Scrolls to where the page was left, at once or as soon as it is as high as it was then, unless the reader scrolls. */
function scrollBack(root, place, signal) {
  scrollTo(0, place);
  if (Math.abs(scrollY - place) < 1) return;
  const observer = new ResizeObserver(() => {
    scrollTo(0, place);
    if (Math.abs(scrollY - place) < 1) observer.disconnect();
  });
  observer.observe(root);
  const stop = () => observer.disconnect();
  signal.addEventListener("abort", stop);
  for (const act of ["wheel", "pointerdown", "keydown"]) addEventListener(act, stop, { signal, once: true, passive: true });
}
