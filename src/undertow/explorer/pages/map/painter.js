// Draws points: by WebGL where there is any, else on a plain canvas. 100,000 points take a few milliseconds.

import { h } from "../core/dom.js";

const VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 colour;
layout(location = 2) in float shape;
uniform vec2 centre, scale, view;
uniform float size;
out vec4 tint;
flat out float kind;
void main() {
  vec2 pixel = (place - centre) * scale;
  gl_Position = vec4(pixel * 2.0 / view, 0.0, 1.0);
  gl_PointSize = size;
  tint = colour;
  kind = shape;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 tint;
flat in float kind;
uniform float size;
out vec4 shown;
void main() {
  vec2 from = abs(gl_PointCoord - 0.5) * 2.0;
  float far = kind < 0.5 ? length(from) : kind < 1.5 ? from.x + from.y : max(from.x, from.y) * 1.2;
  float inside = 1.0 - smoothstep(max(0.0, 1.0 - 2.0 / size), 1.0, far);
  shown = vec4(tint.rgb * tint.a, tint.a) * inside;
}`;

const ROUGH = 12000; // points drawn in a hurry

/** A painter with a canvas of its own: load(positions), colour(...), paint(camera, size, ratio). */
export function painter() {
  const canvas = h("canvas", { class: "stage-canvas" });
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
  try {
    if (gl) return new GlPainter(canvas, gl);
  } catch {
    // shaders that do not compile here: a canvas that has had WebGL cannot be drawn on otherwise
  }
  return new PlainPainter(h("canvas", { class: "stage-canvas" }));
}

/** Some of many rows, in the same order. */
function sample(order) {
  const stride = Math.ceil(order.length / ROUGH);
  return stride <= 1 ? order : order.filter((_, place) => place % stride === 0);
}

class GlPainter {
  constructor(canvas, gl) {
    Object.assign(this, { canvas, gl, kind: "webgl" });
    this.prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.prepare();
      if (this.positions) this.load(this.positions);
      if (this.look) this.colour(...this.look);
      this.restored?.();
    });
  }

  prepare() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "no program");
    gl.useProgram(program);
    const names = ["centre", "scale", "view", "size"];
    this.uniforms = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
    const buffers = ["places", "colours", "shapes", "order", "some"];
    this.buffers = Object.fromEntries(buffers.map((name) => [name, gl.createBuffer()]));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  load(positions) {
    this.positions = positions;
    this.attribute(0, this.buffers.places, positions, 2, this.gl.FLOAT, false);
  }

  /** Colours (four bytes a row), shapes (a byte a row), and the rows in the order in which they are drawn. */
  colour(colours, shapes, order) {
    const { gl } = this;
    this.look = [colours, shapes, order];
    this.attribute(1, this.buffers.colours, colours, 4, gl.UNSIGNED_BYTE, true);
    this.attribute(2, this.buffers.shapes, shapes, 1, gl.UNSIGNED_BYTE, false);
    const some = sample(order);
    for (const [buffer, rows] of [[this.buffers.order, order], [this.buffers.some, some]]) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, rows, gl.DYNAMIC_DRAW);
    }
    this.drawn = [order.length, some.length];
  }

  attribute(place, buffer, data, size, type, normalised) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, normalised, 0, 0);
  }

  /** All points; `rough` leaves most of many out, for machines that draw slowly, while the map moves. */
  paint(camera, size, ratio, rough = false) {
    const { gl, uniforms } = this;
    const [wide, tall] = camera.scale;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!this.drawn) return;
    gl.uniform2f(uniforms.centre, camera.x, camera.y);
    gl.uniform2f(uniforms.scale, wide, tall);
    gl.uniform2f(uniforms.view, camera.width, camera.height);
    gl.uniform1f(uniforms.size, size * ratio);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, rough ? this.buffers.some : this.buffers.order);
    gl.drawElements(gl.POINTS, this.drawn[rough ? 1 : 0], gl.UNSIGNED_INT, 0);
  }
}

class PlainPainter {
  constructor(canvas) {
    Object.assign(this, { canvas, context: canvas.getContext("2d"), kind: "plain" });
  }

  load(positions) {
    this.positions = positions;
  }

  colour(colours, shapes, order) {
    Object.assign(this, { colours, order, some: sample(order) });
    this.words = new Uint32Array(colours.buffer, colours.byteOffset, colours.byteLength / 4);
  }

  paint(camera, size, ratio, rough = false) {
    const { context, positions, words, colours } = this;
    const order = rough ? this.some : this.order;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    let last = null;
    for (const row of order ?? []) {
      const [px, py] = camera.toPixel(positions[2 * row], positions[2 * row + 1]);
      if (px < -9 || py < -9 || px > camera.width + 9 || py > camera.height + 9) continue;
      if (words[row] !== last) {
        last = words[row];
        const [red, green, blue, alpha] = colours.subarray(4 * row, 4 * row + 4);
        context.fillStyle = `rgb(${red} ${green} ${blue} / ${(alpha / 255).toFixed(3)})`;
      }
      context.fillRect(px - size / 2, py - size / 2, size, size);
    }
  }
}
