// The stage: a canvas that is moved, zoomed, and drawn around, with names and an outline above it.

import { fill, h, svg } from "../core/dom.js";
import { Camera } from "./camera.js";
import { arranged, levelOf } from "./names.js";
import { painter } from "./painter.js";

const REACH = 14; // pixels from the mouse within which a point is meant
const STILL = 4; // pixels that a click may move
const PAN = 60; // pixels a key
const ZOOM = 1.5;
const SLOW = 45; // milliseconds: frames of a movement that come later than that are no movement
const BUTTONS = [56, 128]; // pixels of the corner where those that zoom are
const REST = 250; // milliseconds after which a movement is over

export class Stage {
  /** `hear` has hover(row, px, py), pick(row), select(rows) and allowed(row). */
  constructor(points, hear, signal) {
    Object.assign(this, { points, hear, mode: "move", camera: new Camera(), names: [], pointers: new Map(), drag: null });
    this.painter = painter();
    this.canvas = this.painter.canvas;
    this.outline = svg("svg", { class: "stage-outline", "aria-hidden": "true" });
    this.labels = h("div", { class: "stage-names", "aria-hidden": "true" });
    this.element = h(
      "div",
      { class: "stage", tabindex: "0", role: "application", "aria-label": "Map of documents. Arrow keys move, plus and minus zoom, 0 shows all." },
      this.canvas, this.labels, this.outline,
    );
    this.painter.restored = () => this.draw();
    this.painter.load(points.positions);
    this.listen(signal);
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.element);
    signal.addEventListener("abort", () => observer.disconnect());
  }

  listen(signal) {
    const on = (type, listener, options) => this.element.addEventListener(type, listener, { signal, ...options });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.up(event));
    on("pointerleave", () => this.left());
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("dblclick", (event) => this.zoom(2, ...this.at(event)));
    on("keydown", (event) => this.key(event));
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.camera.resize(width, height);
    this.draw();
  }

  /** Colours, shapes and order of the points, and what is named on them: names(level) gives [{name, x, y, colour}]. */
  dress(look, names) {
    this.painter.colour(...look);
    this.namesAt = names;
    this.level = null;
    this.draw();
  }

  /** Draws in the next frame; `moving` while the map is dragged or zoomed. */
  draw(moving = false) {
    this.moving = moving;
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = null;
      const rough = this.hurried(now);
      if (this.camera.width > 1) this.painter.paint(this.camera, this.size(), this.ratio, rough);
      this.placeNames();
      if (!rough) return;
      clearTimeout(this.finer);
      this.finer = setTimeout(() => this.draw(), REST);
    });
  }

  /** Whether frames of a movement come so slowly that points have to be left out; until it rests. */
  hurried(now) {
    const gap = now - (this.before ?? -Infinity);
    this.before = this.moving ? now : -Infinity;
    if (this.moving && gap > SLOW && gap < REST) this.slow = true;
    return this.moving && Boolean(this.slow);
  }

  /** Diameter of a point in pixels: fewer points and a closer look make them larger. */
  size() {
    const room = Math.sqrt((this.camera.width * this.camera.height) / Math.max(1, this.points.placed.length));
    return Math.min(14, Math.max(3.5, 0.42 * room) * Math.max(1, this.camera.zoom) ** 0.3);
  }

  /** Other names where the zoom asks for them, none upon another. */
  placeNames() {
    if (!this.element.isConnected || !this.namesAt) return;
    const { camera } = this;
    const level = `${levelOf(camera.zoom)} ${camera.width}`;
    if (level !== this.level) {
      this.level = level;
      this.names = this.namesAt(levelOf(camera.zoom), camera.width).map(({ name, x, y, colour }) => ({ x, y, element: h("span", { style: { "--c": colour } }, name) }));
      fill(this.labels, this.names.map(({ element }) => element));
      for (const name of this.names) [name.width, name.height] = [name.element.offsetWidth, name.element.offsetHeight];
    }
    const wanted = this.names.map(({ x, y, width, height }) => {
      const [px, py] = camera.toPixel(x, y);
      return { px, py, width, height };
    });
    const buttons = [camera.width - BUTTONS[0], camera.height - BUTTONS[1], camera.width, camera.height];
    arranged(wanted, camera.width, camera.height, [buttons]).forEach((place, at) => {
      const { element } = this.names[at];
      element.style.visibility = place ? "visible" : "hidden";
      if (place) element.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
    });
  }

  setMode(mode) {
    this.mode = mode;
    this.element.dataset.mode = mode;
  }

  zoom(factor, px = this.camera.width / 2, py = this.camera.height / 2) {
    this.camera.zoomAt(px, py, factor);
    this.draw(true);
  }

  reset() {
    this.camera.reset();
    this.draw();
  }

  at(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  under(px, py) {
    const [wide, tall] = this.camera.scale;
    return this.points.nearest(...this.camera.toPlace(px, py), REACH / wide, REACH / tall, this.hear.allowed);
  }

  // The mouse and fingers

  down(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.at(event));
    this.hear.hover(-1);
    const mode = this.mode === "move" && event.shiftKey ? "box" : this.mode;
    this.drag = this.pointers.size > 1 ? { mode: "pinch" } : { mode, from: this.at(event), path: [this.at(event)], moved: false };
    if (this.pointers.size > 1) fill(this.outline);
  }

  move(event) {
    const here = this.at(event);
    if (!this.pointers.has(event.pointerId)) {
      if (event.pointerType !== "touch") this.hover(here);
      return;
    }
    const before = this.pointers.get(event.pointerId);
    const spread = this.spread();
    this.pointers.set(event.pointerId, here);
    const { drag } = this;
    drag.moved ||= !drag.from || Math.hypot(here[0] - drag.from[0], here[1] - drag.from[1]) > STILL;
    if (drag.mode === "pinch") this.pinch(spread);
    else if (drag.mode === "move" && drag.moved) this.camera.pan(here[0] - before[0], here[1] - before[1]);
    else if (drag.moved) return this.trace(here);
    this.draw(true);
  }

  hover(here) {
    this.hovered = here;
    this.hoverFrame ??= requestAnimationFrame(() => {
      this.hoverFrame = null;
      if (this.hovered && !this.pointers.size) this.hear.hover(this.under(...this.hovered), ...this.hovered);
    });
  }

  /** The mouse is elsewhere, perhaps before the frame that its last movement waits for. */
  left() {
    this.hovered = null;
    this.hear.hover(-1);
  }

  spread() {
    const [one, other] = [...this.pointers.values()];
    return other ? { size: Math.hypot(one[0] - other[0], one[1] - other[1]), x: (one[0] + other[0]) / 2, y: (one[1] + other[1]) / 2 } : null;
  }

  pinch(before) {
    const now = this.spread();
    if (!before || !now) return;
    this.camera.pan(now.x - before.x, now.y - before.y);
    this.camera.zoomAt(now.x, now.y, now.size / Math.max(1, before.size));
  }

  trace(here) {
    const { drag } = this;
    const [[ax, ay], [bx, by]] = [drag.from, here];
    if (drag.mode === "box") drag.path = [[ax, ay], [bx, ay], [bx, by], [ax, by]];
    else drag.path.push(here);
    fill(this.outline, svg("polygon", { points: drag.path.map((place) => place.join(",")).join(" ") }));
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { drag } = this;
    if (this.pointers.size) return;
    this.drag = null;
    fill(this.outline);
    if (event.type === "pointercancel" || drag.mode === "pinch") return;
    if (!drag.moved) this.hear.pick(this.under(...drag.from));
    else if (drag.mode !== "move" && drag.path.length > 2) {
      this.hear.select(this.points.inside(drag.path.map(([px, py]) => this.camera.toPlace(px, py))).filter(this.hear.allowed));
    }
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), ...this.at(event));
    this.hear.hover(-1);
  }

  key(event) {
    const moves = { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0], ArrowUp: [0, PAN], ArrowDown: [0, -PAN] };
    if (moves[event.key]) this.camera.pan(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(ZOOM);
    else if (event.key === "-") this.zoom(1 / ZOOM);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
    this.draw();
  }
}
