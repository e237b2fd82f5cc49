// All topics: sorted, filtered, each with its strongest words.

import { fill, h } from "../core/dom.js";
import { counted, percent, whole } from "../core/format.js";
import { rewrite, topicLink } from "../core/router.js";
import { about, allTopics } from "../core/source.js";
import { track, wordLine } from "../parts/bars.js";
import { segmented } from "../parts/controls.js";
import { empty } from "../parts/states.js";

const ORDERS = {
  activity: (one, other) => other.activity - one.activity,
  documents: (one, other) => (other.documents ?? 0) - (one.documents ?? 0),
  name: (one, other) => one.name.localeCompare(other.name, "en"),
  id: (one, other) => one.id - other.id,
};
const UP = 8;
const DOWN = 4;

export async function show(root, { query, signal }) {
  const topics = await allTopics(signal);
  const state = { sort: query.get("sort") in ORDERS ? query.get("sort") : "activity", filter: query.get("filter") ?? "" };
  const list = h("ol", { class: "topic-cards" });
  const count = h("p", { class: "figure", role: "status" });
  const most = Math.max(1e-9, ...topics.map(({ activity }) => activity));
  const draw = () => {
    const wanted = state.filter.trim().toLowerCase();
    const shown = topics.filter((topic) => matches(topic, wanted)).sort(ORDERS[state.sort]);
    fill(list, shown.map((topic) => card(topic, most, wanted)));
    count.textContent = wanted ? `${whole(shown.length)} of ${counted(topics.length, "topic")}` : "";
    if (!shown.length) fill(list, h("li", { class: "wide" }, empty("No topic has such a word", h("p", {}, "Words are as the model knows them: where it stems, “engine” may be “engin”."))));
    rewrite("/topics", { sort: state.sort === "activity" ? "" : state.sort, filter: state.filter });
  };
  fill(root, head(topics, state, draw, count), list);
  draw();
}

function head(topics, state, draw, count) {
  const filter = h("input", {
    class: "field topic-filter", type: "text", value: state.filter, placeholder: "Filter by name, word or number",
    "aria-label": "Filter topics by name, word or number", "data-steps": true, autocomplete: "off", spellcheck: "false",
    on: {
      input: () => {
        state.filter = filter.value;
        draw();
      },
    },
  });
  const sort = [["activity", "Activity"], ["name", "Name"], ["id", "Number"]];
  if (topics.some(({ documents }) => documents !== null)) sort.splice(1, 0, ["documents", "Documents"]);
  const order = segmented("Sort by", sort, state.sort, (value) => {
    state.sort = value;
    draw();
  });
  return h(
    "div",
    { class: "head" },
    h("div", {}, h("h1", {}, "Topics"), h("p", { class: "lede" }, summary())),
    h("div", { class: "controls" }, count, order, filter),
  );
}

function summary() {
  const { documents, topics, words } = about();
  const parts = [documents !== null && counted(documents, "document"), counted(topics, "topic"), counted(words, "word")];
  return parts.filter(Boolean).join(" · ");
}

function card(topic, most, wanted) {
  const hit = (word) => wanted !== "" && word.toLowerCase().includes(wanted);
  const documents = topic.documents === null ? "" : counted(topic.documents, "document");
  return h(
    "li",
    { class: "card topic-card" },
    h(
      "div",
      { class: "topic-card-head" },
      h("a", { class: "topic-card-name", href: topicLink(topic.id), "data-step": true }, topic.given),
      h("span", { class: "figure", title: "Number of the topic" }, topic.id),
    ),
    h(
      "div",
      { class: "activity", title: "Share of the training documents that switch it on" },
      track(topic.activity / most),
      h("span", { class: "figure" }, [percent(topic.activity), documents].filter(Boolean).join(" · ")),
    ),
    wordLine(few(topic.up, UP, wanted), "up", hit),
    topic.down.length > 0 && wordLine(few(topic.down, DOWN, wanted), "down", hit),
  );
}

/** The strongest words, and those after them that the filter asks for. */
function few(words, number, wanted) {
  return words.filter(({ word }, place) => place < number || (wanted && word.toLowerCase().includes(wanted)));
}

function matches(topic, wanted) {
  if (!wanted) return true;
  if (String(topic.id) === wanted || topic.name.toLowerCase().includes(wanted)) return true;
  return [...topic.up, ...topic.down].some(({ word }) => word.toLowerCase().includes(wanted));
}
