// Search: as one types, in four modes, with a filter, with reasons, and with what there is to say about the answer.

import { ApiError, aborted, get } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { counted, duration, whole } from "../core/format.js";
import { documentLink, link, rewrite } from "../core/router.js";
import { about, topicTree } from "../core/source.js";
import { segmented, tick } from "../parts/controls.js";
import { documentList } from "../parts/documents.js";
import { filterHelp } from "../parts/filter_help.js";
import { empty, failed } from "../parts/states.js";

const PAUSE = 160; // milliseconds without a key before the server is asked
const PAGE = 20;
const MOST = 100;
const LONGEST = 10000; // characters
const MODES = [
  ["hybrid", "Best", "Best: words and meaning together, for short and long questions alike"],
  ["semantic", "Meaning", "By meaning: strengths of hidden units, compared by their cosine"],
  ["text", "Words", "By words as written: BM25"],
  ["code", "Code", "By what documents are about, as short codes of bits"],
];
const [[USUAL]] = MODES;

export function show(root, { query, signal, open }) {
  const search = new Search(query, signal);
  fill(root, search.elements());
  open();
  if (!search.state.like) search.box.focus({ preventScroll: true });
  search.ask();
  return { update: (route) => search.moved(route.query) };
}

class Search {
  constructor(query, signal) {
    this.state = read(query);
    this.signal = signal;
    this.request = null;
    this.timer = null;
    signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      this.request?.abort();
    });
  }

  elements() {
    this.box = h("input", {
      class: "field search-box", type: "text", enterkeyhint: "search", value: this.state.q, maxlength: LONGEST,
      placeholder: "Words, a sentence, or a whole paragraph", "aria-label": "Search the documents",
      autocomplete: "off", spellcheck: "false", "data-search": true, "data-steps": true,
      on: { input: () => this.typed({ q: this.box.value, like: "" }) },
    });
    this.filter = h("input", {
      class: "field filter-box", type: "text", value: this.state.where, placeholder: "label = '…' AND text LIKE '%…%'",
      "aria-label": "Filter", "aria-describedby": "filter-error", autocomplete: "off", spellcheck: "false",
      on: { input: () => this.typed({ where: this.filter.value }) },
    });
    this.problem = h("p", { class: "field-error", id: "filter-error", role: "alert" });
    this.mode = segmented("Mode", MODES.map(([value, text]) => [value, text]), this.state.mode, (mode) => this.now({ mode }));
    this.modeHint = h("p", { class: "figure search-mode-hint" });
    this.likeness = h("div", {});
    this.status = h("p", { class: "figure search-status", role: "status" });
    this.notes = h("div", { class: "search-notes", role: "status" });
    this.results = h("div", { class: "results" });
    return [
      h("h1", { class: "hidden" }, "Search"),
      h("form", { class: "search-form", role: "search", on: { submit: (event) => this.submitted(event) } },
        h("div", { class: "search-line" }, icon("search"), this.box),
        h("div", { class: "controls" }, this.mode, this.labels(), this.filter, filterHelp(about().columns)),
        this.problem, this.modeHint, this.likeness),
      this.status,
      this.notes,
      this.results,
    ];
  }

  labels() {
    const { labels } = about();
    if (!labels.length) return null;
    this.label = h(
      "select",
      { class: "field label-box", "aria-label": "Label", on: { change: () => this.now({ label: this.label.value }) } },
      h("option", { value: "" }, "All labels"),
      labels.map((name) => h("option", { value: name }, name)),
    );
    this.label.value = labels.includes(this.state.label) ? this.state.label : "";
    return this.label;
  }

  /** The address changed under this page: Back, or a link to the documents like one. */
  moved(query) {
    this.state = read(query);
    this.box.value = this.state.q;
    this.filter.value = this.state.where;
    if (this.label) this.label.value = this.state.label;
    tick(this.mode, this.state.mode);
    this.ask();
    scrollTo(0, 0);
    return true;
  }

  typed(change) {
    Object.assign(this.state, change, { n: PAGE });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  now(change) {
    clearTimeout(this.timer);
    Object.assign(this.state, { n: PAGE }, change);
    this.ask();
  }

  /** Enter: what was typed is asked at once, and the first result opened when it is there already. */
  submitted(event) {
    event.preventDefault();
    this.now({ n: this.state.n });
  }

  async ask() {
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    const { q, like, where, label, mode, n } = this.state;
    rewrite("/search", { q, like, where, label, mode: mode === USUAL ? "" : mode });
    fill(this.likeness, like && this.likeBanner());
    this.modeHint.textContent = MODES.find(([value]) => value === mode)[2];
    this.complain(null);
    if (!q.trim() && !like) {
      this.tell("");
      this.results.removeAttribute("aria-busy");
      fill(this.results, beginning());
      return;
    }
    this.results.setAttribute("aria-busy", "true");
    try {
      const condition = joined(label, where);
      const found = await get("/api/search", { q: like ? "" : q, like, where: condition, mode, n }, { signal });
      this.draw(found);
    } catch (error) {
      if (aborted(error)) return;
      this.trouble(error);
    }
    this.results.removeAttribute("aria-busy");
  }

  draw({ results, seconds, hint, corrected, total_documents: total }) {
    const { like, n } = this.state;
    const found = `${counted(results.length, "document")} of ${whole(total)} · ${duration(seconds)}`;
    this.tell(found, correction(corrected), results.length > 0 && hint && h("p", { class: "notice" }, hint));
    const more = results.length === n && n < MOST && h(
      "button", { type: "button", class: "button more", on: { click: () => this.now({ n: Math.min(MOST, n + PAGE) }) } }, "Show more",
    );
    const place = this.steps().indexOf(document.activeElement); // who goes through the list already stays there
    fill(this.results, results.length ? documentList(results, { like: true, typed: !like }) : this.nothing(hint), more);
    if (place >= 0) this.steps()[place]?.focus({ preventScroll: true });
  }

  steps() {
    return [...this.results.querySelectorAll("[data-step]")];
  }

  /** What is said above the results: how many there are, and what to know about them. */
  tell(status, ...notes) {
    this.status.textContent = status;
    fill(this.notes, notes);
  }

  nothing(hint) {
    const usual = this.state.mode !== USUAL && h(
      "button", { type: "button", class: "button", on: { click: () => this.toUsual() } }, "Search by words and meaning",
    );
    return empty(hint ?? "Nothing found", usual);
  }

  toUsual() {
    tick(this.mode, USUAL);
    this.now({ mode: USUAL });
  }

  trouble(error) {
    this.tell("");
    if (error instanceof ApiError && this.state.where.trim() && [400, 422].includes(error.status)) {
      this.complain(error.message);
      fill(this.results, empty("The filter cannot be read yet"));
    } else {
      fill(this.results, failed(error, () => this.ask()));
    }
  }

  complain(message) {
    this.problem.textContent = message ?? "";
    if (message) this.filter.setAttribute("aria-invalid", "true");
    else this.filter.removeAttribute("aria-invalid");
  }

  likeBanner() {
    const { like } = this.state;
    const clear = h(
      "button",
      { type: "button", class: "icon-button", "aria-label": "Search for words again", on: { click: () => this.unlike() } },
      icon("close"),
    );
    return h("p", { class: "like-banner" }, h("span", {}, "Documents like ", h("a", { href: documentLink(like) }, like)), clear);
  }

  unlike() {
    this.now({ like: "" });
    this.box.focus();
  }
}

function read(query) {
  const mode = query.get("mode");
  return {
    q: query.get("q") ?? "",
    like: query.get("like") ?? "",
    where: query.get("where") ?? "",
    label: query.get("label") ?? "",
    mode: MODES.some(([value]) => value === mode) ? mode : USUAL,
    n: PAGE,
  };
}

/** Words that no document holds, and what was searched for instead; nothing without any. */
function correction(corrected) {
  const words = Object.entries(corrected);
  if (!words.length) return null;
  const pairs = words.map(([typed, meant], place) => [place > 0 && ", and ", h("strong", {}, meant), " instead of ", typed]);
  return h("p", { class: "corrected" }, "Searched for ", pairs);
}

/** The quick filter of labels and the written one together, in the server's grammar. */
function joined(label, where) {
  const chosen = label ? `label = '${label.replaceAll("'", "''")}'` : "";
  return chosen && where.trim() ? `${chosen} AND (${where})` : chosen || where.trim();
}

/** Before anything is asked: names of topics, to begin with. */
function beginning() {
  const tree = topicTree();
  const ideas = tree === null ? [] : tree.cut(tree.chosen).slice(0, 8).map((node) => tree.name(node).replaceAll(",", ""));
  return empty(
    "Ask something",
    h("p", {}, "Documents are found by their words and by what they are about; a paragraph is as good a question as a word."),
    ideas.length > 0 && h("ul", { class: "chips" }, ideas.map((idea) => h("li", {}, h("a", { class: "chip", href: link("/search", { q: idea }) }, idea)))),
  );
}
