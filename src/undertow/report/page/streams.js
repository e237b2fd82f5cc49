// Topics over time: streams on top of each other, named where they are wide enough, above bars of documents.
"use strict";
(() => {
  const { data, svg, written, keepDrawn, show, hide } = report;
  const place = document.getElementById("streams"), streams = data.streams;
  if (!place || !streams) return;
  const TOP = 8, BARS = 54, GAP = 10, FOOT = 22, LEFT = 44, RIGHT = 10, LINE = 15;
  const topics = streams.order.map((position) => data.topics[position]);
  const many = streams.at.length;
  const bounds = [streams.at.map(() => 0)];  // bounds[i] lies below stream i, bounds[i + 1] above it
  for (const shares of streams.shares) bounds.push(bounds.at(-1).map((below, bin) => below + shares[bin]));

  // One way along a bound; between two bins both bounds of a stream bend alike, so streams never cross.
  function along(xs, ys, first) {
    let path = (first ? "M" : "L") + `${xs[0].toFixed(1)} ${ys[0].toFixed(1)}`;
    for (let bin = 1; bin < xs.length; bin += 1) {
      const middle = ((xs[bin - 1] + xs[bin]) / 2).toFixed(1);
      path += `C${middle} ${ys[bin - 1].toFixed(1)} ${middle} ${ys[bin].toFixed(1)}`
        + ` ${xs[bin].toFixed(1)} ${ys[bin].toFixed(1)}`;
    }
    return path;
  }

  // Where a name of this width fits between two bounds: the bin in the middle of the widest such stretch, or -1.
  function room(xs, low, high, width) {
    let best = -1, most = LINE;
    for (let bin = 0; bin < many; bin += 1) {
      const left = xs[bin] - width / 2, right = xs[bin] + width / 2;
      if (left < xs[0] || right > xs[many - 1]) continue;
      let roof = -Infinity, floor = Infinity;
      for (let other = 0; other < many; other += 1) {
        const reaches = (xs[other + 1] ?? xs[other]) >= left && (xs[other - 1] ?? xs[other]) <= right;
        if (reaches) [roof, floor] = [Math.max(roof, high[other]), Math.min(floor, low[other])];
      }
      if (floor - roof > most) [best, most] = [bin, floor - roof];
    }
    return best;
  }

  function draw(width) {
    const height = Math.max(260, Math.min(440, width * 0.5)), foot = TOP + height;
    const total = foot + GAP + BARS + FOOT;
    const across = (at) => LEFT + at * (width - LEFT - RIGHT);
    const top = Math.max(...bounds.at(-1), 1e-9), up = (share) => foot - share / top * height;
    const xs = streams.at.map(across), ys = bounds.map((bound) => bound.map(up));
    const picture = svg("svg", { viewBox: `0 0 ${width} ${total}`, role: "img", "aria-label": "Topics over time" });
    const names = svg("g", { class: "stream-names" });
    place.replaceChildren(picture);
    topics.forEach((topic, number) => {
      const back = along([...xs].reverse(), [...ys[number]].reverse(), false);
      const outline = along(xs, ys[number + 1], true) + back + "Z";
      const path = svg("path", { class: "stream", d: outline, fill: topic.colour });
      path.dataset.stream = number;
      picture.append(path);
    });
    picture.append(names);
    topics.forEach((topic, number) => {
      const text = svg("text", { "text-anchor": "middle" }, topic.name);
      names.append(text);
      const bin = room(xs, ys[number], ys[number + 1], text.getComputedTextLength() + 8);
      if (bin < 0) { text.remove(); return; }
      text.setAttribute("x", xs[bin]);
      text.setAttribute("y", (ys[number][bin] + ys[number + 1][bin]) / 2 + 4);
    });
    for (const share of [0, 0.5, 1].map((part) => part * top)) {
      picture.append(svg("text", { x: LEFT - 6, y: up(share) + 4, "text-anchor": "end" }, written(share, 0, true)));
    }
    bars(picture, across, foot + GAP, width);
    picture.addEventListener("pointermove", (event) => point(event, picture, xs, width));
    picture.addEventListener("pointerleave", hide);
  }

  function bars(picture, across, top, width) {
    const most = Math.max(...streams.bars.documents, 1), thick = streams.width * (width - LEFT - RIGHT) * 0.86;
    streams.bars.documents.forEach((documents, bin) => {
      const size = documents / most * BARS, x = across(streams.bars.at[bin]) - thick / 2;
      picture.append(svg("rect", { class: "documents", x, width: thick, y: top + BARS - size, height: size }));
    });
    picture.append(svg("text", { x: LEFT - 6, y: top + 10, "text-anchor": "end" }, most.toLocaleString("en-US")));
    let last = -Infinity;
    for (const tick of streams.ticks) {
      const text = svg("text", { x: across(tick.at), y: top + BARS + 15, "text-anchor": "middle" }, tick.text);
      picture.append(text);
      const half = text.getComputedTextLength() / 2, x = across(tick.at);
      if (x - half < last + 10 || x + half > width) text.remove();
      else last = x + half;
    }
  }

  function point(event, picture, xs, width) {
    const box = picture.getBoundingClientRect(), at = (event.clientX - box.left) / box.width * width;
    const bin = xs.reduce((best, x, number) => Math.abs(x - at) < Math.abs(xs[best] - at) ? number : best, 0);
    const number = event.target.dataset?.stream;
    const lines = number === undefined ? [] : [topics[number].name, written(streams.shares[number][bin], 1, true)];
    show(event, [...lines, streams.when[bin]]);
  }

  keepDrawn(place, draw);
})();
