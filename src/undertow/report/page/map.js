// The map: a point for each document on a canvas, moved and zoomed, with names beside the points.
"use strict";
(() => {
  const { data, html, numbers, keepDrawn, show, hide } = report;
  const map = data.map;
  if (!map) return;
  const place = document.getElementById("map-figure"), canvas = place.querySelector("canvas");
  const names = place.querySelector(".names"), legend = document.getElementById("legend");
  const context = canvas.getContext("2d");
  const NONE = 65535, REST = "#8c9199", MOST_ZOOM = 40, MARGIN = 14, LEAST_SEEN = 0.1;
  const positions = numbers(map.positions), topicOf = numbers(map.topic);
  const labelOf = map.label && numbers(map.label.of), timeOf = map.time && numbers(map.time.of);
  const size = { width: 0, height: 0 };
  const view = { zoom: 1, x: 0, y: 0 };  // what is in the middle: 0, 0 for the middle of the map
  let colour = map.colourings[0], groups = [], chosen = null, later = 0, frame = 0;

  // Groups of points of one colour, the largest first.

  function grouped(of, styles, rest) {
    const rows = styles.map(() => []), others = [];
    for (let row = 0; row < map.points; row += 1) (rows[of[row]] ?? others).push(row);
    const found = styles.map((style, number) => ({ ...style, rows: rows[number] })).filter((one) => one.rows.length);
    found.sort((one, other) => other.rows.length - one.rows.length);
    if (others.length) found.push({ name: rest, colour: REST, symbol: "circle", rows: others, rest: true });
    return found;
  }

  function mixed(part) {
    const stops = map.time.colours, at = part * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
    const parts = [1, 3, 5].map((from) => {
      const [one, other] = [low, low + 1].map((stop) => parseInt(stops[stop].slice(from, from + 2), 16));
      return Math.round(one + (other - one) * (at - low));
    });
    return `rgb(${parts.join(", ")})`;
  }

  function dated() {
    const steps = 24;
    const of = timeOf.map((time) => time === NONE ? NONE : Math.min(steps - 1, Math.floor(time / NONE * steps)));
    const styles = [...Array(steps).keys()].map((step) => ({ colour: mixed(step / (steps - 1)), symbol: "circle" }));
    return grouped(of, styles, "without a time");
  }

  const ways = {
    topic: () => grouped(topicOf, data.topics, "no topic"),
    label: () => grouped(labelOf, map.label.groups, "other labels or none"),
    time: dated,
  };

  // Drawing

  const side = () => Math.min(size.width, size.height) - 2 * MARGIN;
  const screenX = (row) => size.width / 2 + (positions[2 * row] / (NONE - 1) - 0.5 - view.x) * side() * view.zoom;
  const screenY = (row) => size.height / 2 - (positions[2 * row + 1] / (NONE - 1) - 0.5 - view.y) * side() * view.zoom;

  const shapes = {
    circle: (path, x, y, r) => { path.moveTo(x + r, y); path.arc(x, y, r, 0, 7); },
    square: (path, x, y, r) => path.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r),
    diamond: (path, x, y, r) => polygon(path, x, y, 1.25 * r, 4, 0),
    "triangle-up": (path, x, y, r) => polygon(path, x, y, 1.3 * r, 3, -Math.PI / 2),
    star: (path, x, y, r) => polygon(path, x, y, 1.4 * r, 5, -Math.PI / 2, 2),
    cross: (path, x, y, r) => {
      path.rect(x - 1.2 * r, y - 0.45 * r, 2.4 * r, 0.9 * r);
      path.rect(x - 0.45 * r, y - 1.2 * r, 0.9 * r, 2.4 * r);
    },
  };
  function polygon(path, x, y, r, corners, turn, stride = 1) {
    for (let corner = 0; corner <= corners; corner += 1) {
      const angle = turn + 2 * Math.PI * corner * stride / corners;
      path[corner ? "lineTo" : "moveTo"](x + r * Math.cos(angle), y + r * Math.sin(angle));
    }
  }

  function draw() {
    frame = 0;
    const scale = devicePixelRatio || 1;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const shrink = size.width < 600 ? 0.75 : 1;
    const radius = shrink * Math.min(5, Math.max(1.5, 4.6 - 0.75 * Math.log10(map.points / 30))) * view.zoom ** 0.25;
    for (const group of [...groups].reverse()) {
      const path = new Path2D();
      for (const row of group.rows) {
        const x = screenX(row), y = screenY(row);
        if (x > -9 && y > -9 && x < size.width + 9 && y < size.height + 9) shapes[group.symbol](path, x, y, radius);
      }
      const dimmed = group.rest || (chosen !== null && group.name !== chosen);
      context.globalAlpha = group.rest ? 0.35 : dimmed ? 0.07 : 0.8;
      context.fillStyle = group.colour;
      context.fill(path);
    }
  }

  function redraw() {
    if (!frame) frame = requestAnimationFrame(draw);
    names.classList.add("moving");
    clearTimeout(later);
    later = setTimeout(placeNames, 140);
  }

  function placeNames() {
    const named = groups.filter((group) => group.name && !group.rest && (chosen === null || group.name === chosen));
    names.replaceChildren();
    const spans = named.map((group) => html("span", "", group.name));
    names.append(...spans);
    const wanted = named.map((group, number) => {
      const points = [];
      for (const row of group.rows) {
        const x = screenX(row), y = screenY(row);
        if (x >= 0 && y >= 0 && x <= size.width && y <= size.height) points.push(x, y);
      }
      const seen = points.length / 2 >= LEAST_SEEN * group.rows.length;  // or else most of it lies elsewhere
      return { points: seen ? points : [], width: spans[number].offsetWidth, height: spans[number].offsetHeight };
    });
    report.placeNames(wanted, size).forEach((box, number) => {
      if (!box) { spans[number].remove(); return; }
      spans[number].style.left = box.left + "px";
      spans[number].style.top = box.top + "px";
    });
    names.classList.remove("moving");
    place.dataset.drawn = colour;
  }

  function paint(next) {
    colour = next;
    chosen = null;
    groups = ways[colour]();
    for (const button of document.querySelectorAll("[data-colour]")) {
      button.setAttribute("aria-pressed", String(button.dataset.colour === colour));
    }
    drawLegend();
    delete place.dataset.drawn;
    redraw();
  }

  function drawLegend() {
    legend.replaceChildren();
    if (colour === "time") {
      const scale = html("div", "scale");
      scale.style.background = `linear-gradient(to right, ${map.time.colours.join(", ")})`;
      const words = html("div", "scale-words");
      words.append(...map.time.words.map((word) => html("span", "", word)));
      legend.append(scale, words);
      return;
    }
    for (const group of groups) {
      const button = html("button", "entry");
      button.type = "button";
      const mark = html("span", "mark " + group.symbol);
      mark.style.background = group.colour;
      button.append(mark, html("span", "", group.name));
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        chosen = chosen === group.name ? null : group.name;
        for (const other of legend.children) {
          other.setAttribute("aria-pressed", String(chosen !== null && other === button));
        }
        redraw();
      });
      legend.append(button);
    }
  }

  // Moving and zooming

  function zoom(factor, clientX, clientY) {
    const box = canvas.getBoundingClientRect(), before = view.zoom;
    view.zoom = Math.max(1, Math.min(MOST_ZOOM, view.zoom * factor));
    const dx = (clientX ?? box.left + box.width / 2) - box.left - box.width / 2;
    const dy = (clientY ?? box.top + box.height / 2) - box.top - box.height / 2;
    const grown = view.zoom / before - 1;
    move(dx * grown, dy * grown);
  }

  function move(dx, dy) {
    const most = 0.5;
    view.x = Math.max(-most, Math.min(most, view.x + dx / side() / view.zoom));
    view.y = Math.max(-most, Math.min(most, view.y - dy / side() / view.zoom));
    if (view.zoom === 1) view.x = view.y = 0;
    redraw();
  }

  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(kind, (event) => { fingers.delete(event.pointerId); hide(); });
  }
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) { point(event); return; }
    const others = [...fingers.values()].filter((finger) => finger.pointerId !== event.pointerId);
    if (others.length) {
      const apart = (finger) => Math.hypot(finger.clientX - others[0].clientX, finger.clientY - others[0].clientY);
      zoom(apart(event) / Math.max(apart(before), 1), others[0].clientX, others[0].clientY);
    } else {
      move(before.clientX - event.clientX, before.clientY - event.clientY);
    }
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener("click", point);
  canvas.addEventListener("dblclick", (event) => zoom(2, event.clientX, event.clientY));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;  // the page scrolls, until the map is clicked
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
  }, { passive: false });
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") Object.assign(view, { zoom: 1, x: 0, y: 0 });
      zoom(button.dataset.zoom === "in" ? 1.6 : button.dataset.zoom === "out" ? 1 / 1.6 : 1);
    });
  }

  function point(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 144;
    for (const group of groups) {
      if (chosen !== null && group.name !== chosen) continue;
      for (const row of group.rows) {
        const far = (screenX(row) - x) ** 2 + (screenY(row) - y) ** 2;
        if (far < least) [best, least] = [row, far];
      }
    }
    if (best < 0) { hide(); return; }
    const topic = data.topics[topicOf[best]], label = map.label && map.label.groups[labelOf[best]];
    show(event, [map.titles[best], topic && "topic: " + topic.name, label && label.name, map.ids[best]]);
  }

  for (const button of document.querySelectorAll("[data-colour]")) {
    button.addEventListener("click", () => paint(button.dataset.colour));
  }
  keepDrawn(place, (width) => {
    [size.width, size.height] = [width, place.clientHeight];
    [canvas.width, canvas.height] = [size.width, size.height].map((pixels) => pixels * (devicePixelRatio || 1));
    redraw();
  });
  paint(colour);
})();
