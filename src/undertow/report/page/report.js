// The report's page: draws the figures, colours the map, sorts and searches topics.
// Every string of the data that plotly is given was escaped when the report was written.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const config = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = () => innerWidth < 700;
  const drawn = [];

  const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();

  function draw(place, traces, layout, more = {}) {
    const coloured = { ...layout, font: { ...layout.font, color: ink() } };
    if (!drawn.includes(place)) drawn.push(place);
    return Plotly.react(place, traces, coloured, { ...config, ...more });
  }

  function recolour(colour) {
    for (const place of drawn) Plotly.relayout(place, { "font.color": colour });
  }
  dark.addEventListener("change", () => recolour(ink()));
  addEventListener("afterprint", () => recolour(ink()));

  // Figures are drawn when they come near: a page of many is there at once.
  const waiting = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      waiting.unobserve(target);
      drawFigure(target);
    }
  }, { rootMargin: "600px" });

  function drawFigure(place) {
    const figure = data.figures[place.dataset.figure];
    const layout = { ...figure.layout };
    if (place.dataset.figure === "similarity" && narrow()) {
      layout.height = 420;
      layout.xaxis = { ...layout.xaxis, showticklabels: false };
      layout.yaxis = { ...layout.yaxis, showticklabels: false };
    }
    draw(place, figure.data, layout, { displayModeBar: false });
  }
  for (const place of document.querySelectorAll("[data-figure]")) waiting.observe(place);
  addEventListener("beforeprint", () => {
    for (const place of document.querySelectorAll("[data-figure]")) if (!drawn.includes(place)) drawFigure(place);
    recolour("#444444");  // paper is light
  });

  // The map

  const map = data.map;
  const canvas = document.createElement("canvas");
  const quick = Boolean(canvas.getContext("webgl"));

  function hover(row) {
    const lines = ["<b>" + map.ids[row] + "</b>"];
    if (map.label_of[row] >= 0) lines.push(map.labels[map.label_of[row]]);
    if (map.topic_of[row] >= 0) lines.push("topic: " + map.topics[map.topic_of[row]]);
    if (map.texts[row]) lines.push(map.texts[row]);
    return lines.join("<br>");
  }

  function points(rows, name, marker, legend) {
    return {
      type: quick ? "scattergl" : "scatter",
      mode: "markers",
      x: rows.map((row) => map.x[row]),
      y: rows.map((row) => map.y[row]),
      customdata: rows.map(hover),
      hovertemplate: "%{customdata}<extra></extra>",
      marker: { size: (narrow() ? 0.7 : 1) * map.size, line: { width: 0 }, ...marker },
      name,
      showlegend: legend,
    };
  }

  function grouped(colouring) {
    const traces = colouring.groups.map((group) => points(
      group.rows, group.name,
      { color: group.colour, symbol: group.symbol, opacity: group.rest ? 0.35 : 0.8 }, true));
    return traces.reverse();  // small groups lie over large ones, the grey rest under all
  }

  function dated(colouring) {
    const rows = map.x.map((_, row) => row);
    const known = rows.filter((row) => colouring.times[row] !== null);
    const rest = rows.filter((row) => colouring.times[row] === null);
    const marker = { ...colouring.marker, color: known.map((row) => colouring.times[row]), opacity: 0.8 };
    const traces = [points(known, "with a time", marker, false)];
    if (rest.length) traces.unshift(points(rest, "without a time", { color: "#8c9199", opacity: 0.35 }, true));
    return traces;
  }

  function drawMap(colour) {
    const colouring = map.colourings[colour];
    const place = document.getElementById("map-figure");
    const layout = { ...map.layout, height: undefined, autosize: true, uirevision: "map" };
    layout.annotations = narrow() ? [] : colouring.names || [];
    if (narrow()) {
      layout.legend = { ...layout.legend, orientation: "h", y: -0.02, yanchor: "top", maxheight: 0.3 };
      layout.title = undefined;
      layout.margin = { l: 0, r: 0, t: 4, b: 0 };
    }
    for (const button of document.querySelectorAll("[data-colour]")) {
      button.setAttribute("aria-pressed", String(button.dataset.colour === colour));
    }
    return draw(place, colouring.groups ? grouped(colouring) : dated(colouring), layout, { scrollZoom: true });
  }

  if (map) {
    for (const button of document.querySelectorAll("[data-colour]")) {
      button.addEventListener("click", () => drawMap(button.dataset.colour));
    }
    drawMap(Object.keys(map.colourings)[0]);
  }

  // Topics

  const list = document.getElementById("topic-list");
  const topics = [...list.children];
  const words = new Map(topics.map((topic) => [topic, topic.textContent.toLowerCase()]));
  const orders = {
    activity: (one, other) => other.dataset.activity - one.dataset.activity || one.dataset.id - other.dataset.id,
    name: (one, other) => one.dataset.name.localeCompare(other.dataset.name) || one.dataset.id - other.dataset.id,
    id: (one, other) => one.dataset.id - other.dataset.id,
  };

  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      for (const other of document.querySelectorAll("[data-sort]")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
      list.append(...topics.sort(orders[button.dataset.sort]));
    });
  }

  const filter = document.getElementById("filter");
  filter.addEventListener("input", () => {
    const sought = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const topic of topics) topic.hidden = !sought.every((part) => words.get(topic).includes(part));
    const shown = topics.filter((topic) => !topic.hidden).length;
    document.getElementById("found").textContent = sought.length ? shown + " of " + topics.length + " topics" : "";
  });

  // A link to a topic that the search hides shows it again.
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.hidden) {
      filter.value = "";
      filter.dispatchEvent(new Event("input"));
      target.scrollIntoView();
    }
  });
})();
