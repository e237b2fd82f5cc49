// Figures of the server, drawn by plotly in the colours of the page. Its script is fetched when the first one is shown.

import { aborted, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { onDark } from "../core/palette.js";
import { isDark, onTheme } from "../core/theme.js";

const SCRIPT = "/plotly.min.js";
const CONFIG = { displayModeBar: false, displaylogo: false, showTips: false, responsive: false, scrollZoom: false };
const SAVED = { format: "png", scale: 2 };
const SPACED = { ticks: "outside", ticklen: 5, tickcolor: "transparent" }; // numbers keep off each other in the corner
const NARROW = 520; // pixels; titles of axes take too much room below
const A_LABEL = 90; // pixels
const LOW = 70; // pixels; a panel with room for two numbers beside it

let script = null;

/** plotly, fetched once; another try after a failure. */
function plotly() {
  script ??= new Promise((resolve, reject) => {
    const tag = h("script", { src: SCRIPT });
    const broken = () => {
      tag.remove();
      script = null;
      reject(new Error("The script that draws figures could not be loaded. Is `undertow explore` still running?"));
    };
    tag.addEventListener("load", () => (globalThis.Plotly ? resolve(globalThis.Plotly) : broken()));
    tag.addEventListener("error", broken);
    document.head.append(tag);
  });
  return script;
}

/**
 * A figure that is as wide as its place, until the signal ends it.
 *
 * options: path of the figure, label (for screen readers), parameters (of the width, where they depend on it), height
 * (instead of the figure's own), legend (whether it has one), titles (whether axes have), file (the name of a saved picture).
 */
export class Figure {
  constructor(path, options, signal) {
    Object.assign(this, { path, signal, options: { parameters: () => ({}), legend: false, titles: true, ...options } });
    this.box = h("div", { class: "plot", role: "img", "aria-label": options.label });
    this.notice = h("div", { class: "plot-notice" });
    this.save = h("button", { type: "button", class: "text-button plot-save", hidden: true, on: { click: () => this.keep() } }, "Save as a picture");
    this.element = h("div", { class: "plot-frame", style: { "--h": `${options.height ?? 300}px` } }, this.box, this.notice, this.save);
    this.drawn = null; // the figure as it came
    this.wanted = null; // what was asked for last
    const observer = new ResizeObserver(() => this.resized());
    observer.observe(this.element);
    onTheme(() => this.draw(), signal);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      this.request?.abort();
      globalThis.Plotly?.purge(this.box);
    });
  }

  /** Shows it with other parameters. */
  change(parameters, label) {
    Object.assign(this.options, { parameters: () => parameters, label });
    this.box.setAttribute("aria-label", label);
    if (this.wanted !== null && this.wanted !== JSON.stringify(parameters)) this.load();
  }

  resized() {
    const parameters = JSON.stringify(this.options.parameters(this.element.clientWidth));
    if (!this.element.clientWidth || this.signal.aborted) return;
    if (parameters !== this.wanted) this.load();
    else if (this.element.clientWidth !== this.width) this.draw();
  }

  /** Fetches the figure, and plotly; what was there stays until both have come. */
  async load() {
    const parameters = this.options.parameters(this.element.clientWidth);
    this.wanted = JSON.stringify(parameters);
    this.request?.abort();
    const mine = (this.request = new AbortController());
    if (this.drawn === null) fill(this.notice, h("p", { role: "status" }, "Drawing…"));
    try {
      const [figure] = await Promise.all([get(this.path, parameters, { signal: mine.signal }), plotly()]);
      if (mine.signal.aborted) return;
      this.drawn = figure;
      fill(this.notice);
      await this.draw();
    } catch (error) {
      if (aborted(error) || mine.signal.aborted) return;
      fill(this.notice, h("p", { role: "alert" }, error.message), h("button", { type: "button", class: "button", on: { click: () => this.load() } }, "Try again"));
    }
  }

  async draw() {
    if (this.drawn === null || this.signal.aborted) return;
    this.width = this.element.clientWidth;
    const { data, layout } = dressed(structuredClone(this.drawn), this.options, this.element);
    await globalThis.Plotly.react(this.box, data, layout, CONFIG);
    this.save.hidden = false;
  }

  keep() {
    const { offsetWidth: width, offsetHeight: height } = this.box;
    globalThis.Plotly.downloadImage(this.box, { ...SAVED, width, height, filename: this.options.file });
  }
}

/** The figure in the colours and letters of the page, which stand in the template that all figures have. */
function dressed(figure, { height, legend, titles }, element) {
  const { data, layout } = figure;
  const width = element.clientWidth;
  const colour = (name) => resolved(element, name);
  const look = layout.template.layout;
  const family = getComputedStyle(element).fontFamily;
  Object.assign(look.font, { family, size: 12, color: colour("--ink-faint") });
  Object.assign(look.hoverlabel, { bgcolor: colour("--raised"), bordercolor: colour("--line-strong"), font: { family, size: 12, color: colour("--ink") } });
  Object.assign(look.margin, { l: 8, r: 8, t: 8, b: 8 });
  for (const axis of [look.xaxis, look.yaxis]) Object.assign(axis, { gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"), ...SPACED });
  Object.assign(look.xaxis, { tickangle: 0, nticks: Math.max(2, Math.floor(width / A_LABEL)), spikecolor: colour("--line-strong"), spikethickness: 1, spikedash: "dot" });
  look.annotationdefaults = { font: { color: colour("--ink-soft") } };
  for (const trace of data) if (trace.line && isDark()) trace.line.color = onDark(trace.line.color);
  if (layout.annotations?.length) layout.margin = { ...look.margin, t: 28 }; // titles of panels
  Object.assign(layout, { width, height: height ?? layout.height, showlegend: legend });
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
    const axis = layout[name];
    if (!titles || width < NARROW) delete axis.title;
    if (name.startsWith("y") && axis.domain && (axis.domain[1] - axis.domain[0]) * layout.height < LOW) axis.nticks = 2;
  }
  layout.dragmode = matchMedia("(pointer: fine)").matches ? "zoom" : false; // a finger scrolls the page
  element.style.setProperty("--h", `${layout.height}px`);
  return { data, layout };
}

/** A colour of the theme as it is now: of light-dark() the browser tells only elements the outcome. */
function resolved(element, name) {
  const probe = h("span", { style: { color: `var(${name})` } });
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
