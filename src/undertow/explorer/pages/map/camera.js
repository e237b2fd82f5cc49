// What part of the map is seen: from places in [0, 1] x [0, 1] to pixels, and back.

const MARGIN = 0.94; // of the room, when all is seen
const NEAREST = 400; // times larger than that
const LONGEST = 1.7; // times wider than tall, or the reverse: stretched no further than that

export class Camera {
  constructor() {
    this.reset();
    this.resize(1, 1);
  }

  reset() {
    Object.assign(this, { x: 0.5, y: 0.5, zoom: 1 });
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    this.baseX = MARGIN * Math.min(width, LONGEST * height);
    this.baseY = MARGIN * Math.min(height, LONGEST * width);
  }

  /** Pixels for one unit, each way. */
  get scale() {
    return [this.baseX * this.zoom, this.baseY * this.zoom];
  }

  toPixel(x, y) {
    const [wide, tall] = this.scale;
    return [(x - this.x) * wide + this.width / 2, (this.y - y) * tall + this.height / 2];
  }

  toPlace(px, py) {
    const [wide, tall] = this.scale;
    return [(px - this.width / 2) / wide + this.x, this.y - (py - this.height / 2) / tall];
  }

  pan(dx, dy) {
    const [wide, tall] = this.scale;
    this.x = clamped(this.x - dx / wide);
    this.y = clamped(this.y + dy / tall);
  }

  /** Larger by a factor; the place under the pixel stays where it is. */
  zoomAt(px, py, factor) {
    const [x, y] = this.toPlace(px, py);
    this.zoom = Math.min(NEAREST, Math.max(0.5, this.zoom * factor));
    const [wide, tall] = this.scale;
    this.x = clamped(x - (px - this.width / 2) / wide);
    this.y = clamped(y + (py - this.height / 2) / tall);
  }
}

function clamped(place) {
  return Math.min(1.2, Math.max(-0.2, place));
}
