// How the model learned: curves by epoch, the same as a table, and the settings.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { duration, figure, percent, percentTick, whole } from "../core/format.js";
import { about } from "../core/source.js";
import { chart } from "../parts/chart.js";
import { empty } from "../parts/states.js";

const HIDDEN = new Set(["token_pattern"]);

export async function show(root, { signal }) {
  const { epochs } = await get("/api/training", {}, { signal });
  fill(
    root,
    h("div", { class: "head" }, h("div", {}, h("h1", {}, "Training"), h("p", { class: "lede" }, summary(epochs)))),
    epochs.length
      ? h("div", { class: "charts" }, curves(epochs).map(card))
      : empty("No history is kept in this model", h("p", {}, "Models keep one line an epoch; this one was saved without.")),
    epochs.length > 0 && table(epochs),
    settings(about().settings),
  );
}

function summary(epochs) {
  if (!epochs.length) return "";
  const seconds = epochs.reduce((sum, epoch) => sum + epoch.seconds, 0);
  return `${whole(epochs.length)} ${epochs.length === 1 ? "epoch" : "epochs"} in ${duration(seconds)}`;
}

function speed({ tokens, seconds }) {
  return seconds > 0 ? tokens / seconds : null;
}

/** [title, note, values, how they are written, whether the axis begins at 0, whether they are columns] */
function curves(epochs) {
  const column = (name) => epochs.map((epoch) => epoch[name]);
  return [
    ["Loss", "Mean over documents; lower is better", column("loss"), figure],
    ["Split-half retrieval", "How often one half of a held-out text finds the other", column("split_half"), figure],
    ["Activity", "Mean probability that a topic is on", column("activity"), percent, true],
    ["Dead topics", "Always on, or always off", column("dead_units"), whole, true, true],
    ["Speed", "Tokens a second", epochs.map(speed), figure, true],
  ].map(([title, note, values, text, from0, columns]) => ({ title, note, values, text, from0, columns, x: epochs.map(({ epoch }) => epoch + 1) }));
}

function card({ title, note, values, text, from0, columns, x }) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  return h(
    "section",
    { class: "card" },
    h("h2", {}, title, known.length > 0 && h("span", { class: "chart-last" }, text(known.at(-1)))),
    h("p", { class: "card-note" }, note),
    known.length
      ? chart({ label: title, x, series: [{ name: title, values, columns }], height: 190, xText: (epoch) => `${Math.round(epoch)}`, placeText: (epoch) => `Epoch ${epoch}`, yText: text, yTick: text === percent ? percentTick : undefined, from0, area: !columns, wholeX: true, wholeY: columns })
      : h("p", { class: "chart-none" }, "Not measured. Training with early stopping measures it after each epoch."),
  );
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
