// The model: how it learned, curves by epoch and the same as a table, its hidden units, and the settings.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { counted, duration, figure, percent, whole } from "../core/format.js";
import { about } from "../core/source.js";
import { track, wordLine } from "../parts/bars.js";
import { Figure } from "../parts/figure.js";
import { empty } from "../parts/states.js";

const DOWN = 5; // words that speak against a unit
const HIDDEN = new Set(["token_pattern"]);

export async function show(root, { query, signal }) {
  const [{ epochs }, { units }] = await Promise.all([get("/api/training", {}, { signal }), get("/api/units", {}, { signal })]);
  fill(
    root,
    h("div", { class: "head" }, h("div", {}, h("h1", {}, "Model"), h("p", { class: "lede" }, summary(epochs, units)))),
    epochs.length
      ? [h("dl", { class: "tiles" }, curves(epochs).map(tile)), h("section", { class: "card" }, h("h2", {}, "Epoch by epoch"), figureOf(epochs, signal).element)]
      : empty("No history is kept in this model", h("p", {}, "Models keep one line an epoch; this one was saved without.")),
    epochs.length > 0 && table(epochs),
    hiddenUnits(units, query.get("unit")),
    settings(about().settings),
  );
  return { shown: () => root.querySelector(".unit[aria-current]")?.scrollIntoView({ block: "center" }) };
}

function summary(epochs, units) {
  const seconds = epochs.reduce((sum, epoch) => sum + epoch.seconds, 0);
  const trained = epochs.length > 0 && `${counted(epochs.length, "epoch")} in ${duration(seconds)}`;
  return [counted(units.length, "hidden unit"), counted(about().words, "word"), trained].filter(Boolean).join(" · ");
}

function speed({ tokens, seconds }) {
  return seconds > 0 ? tokens / seconds : null;
}

/** What is measured: [title, note, values, how they are written]. */
function curves(epochs) {
  const column = (name) => epochs.map((epoch) => epoch[name]);
  return [
    ["Loss", "Mean over documents; lower is better", column("loss"), figure],
    ["Split-half retrieval", "How well one half of a held-out text finds the other", column("split_half"), figure],
    ["Activity", "Mean probability that a unit is on", column("activity"), percent],
    ["Dead units", "Always on, or always off", column("dead_units"), whole],
    ["Speed", "Tokens a second", epochs.map(speed), figure],
  ].map(([title, note, values, text]) => ({ title, note, known: values.filter((value) => Number.isFinite(value)), text }));
}

/** A figure after the last epoch. */
function tile({ title, note, known, text }) {
  return h(
    "div",
    { class: "card" },
    h("dt", {}, title),
    h("dd", { class: "tile-figure" }, known.length ? text(known.at(-1)) : "–"),
    h("dd", { class: "tile-note" }, known.length ? note : "Not measured: that takes early stopping"),
  );
}

function figureOf(epochs, signal) {
  const ends = ({ title, known, text }) => known.length > 0 && `${title} from ${text(known[0])} to ${text(known.at(-1))}`;
  const label = `Training over ${counted(epochs.length, "epoch")}: ${curves(epochs).map(ends).filter(Boolean).join("; ")}. The table below has all figures.`;
  const parameters = (width) => ({ columns: width < 520 ? 1 : width < 900 ? 2 : null }); // else as many as fill the rows best
  return new Figure("/api/figures/training", { label, parameters, file: "training" }, signal);
}

function table(epochs) {
  const heads = ["Epoch", "Loss", "Split-half", "Activity", "Dead", "Tokens a second", "Seconds"];
  const row = (epoch) => [
    epoch.epoch + 1, figure(epoch.loss), figure(epoch.split_half), percent(epoch.activity), whole(epoch.dead_units),
    figure(speed(epoch)), figure(epoch.seconds),
  ];
  return h(
    "details",
    { class: "section" },
    h("summary", {}, "The same as a table"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Training, epoch by epoch" }, h("table", { class: "figures" },
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, epochs.map((epoch) => h("tr", {}, row(epoch).map((value) => h("td", {}, value))))))),
  );
}

/** The features that topics are made of; one that was asked for is marked. */
function hiddenUnits(units, wanted) {
  const most = Math.max(1e-9, ...units.map(({ activity }) => activity));
  const row = ({ id, name, activity, up, down }) =>
    h(
      "li",
      { class: "unit", "aria-current": String(id) === wanted ? "true" : null },
      h("strong", {}, name, " ", h("span", { class: "figure" }, `unit ${id}`)),
      h("div", { class: "activity" }, track(activity / most), h("span", { class: "figure" }, `on in ${percent(activity)}`)),
      wordLine(up, "up"),
      down.length > 0 && wordLine(down.slice(0, DOWN), "down"),
    );
  return h(
    "details",
    { class: "section", open: wanted !== null },
    h("summary", {}, `${counted(units.length, "hidden unit")}: the features that topics are regions of`),
    h("ol", { class: "units" }, units.map(row)),
  );
}

function settings(given) {
  const rows = Object.entries(given).filter(([name]) => !HIDDEN.has(name));
  if (!rows.length) return null;
  return h(
    "section",
    { class: "section" },
    h("h2", {}, "Settings"),
    h("dl", { class: "card settings" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, value === null ? "–" : String(value))))),
  );
}
