// What the report's scripts share: the data, drawing by SVG, axes, and what is shown under the pointer.
// Texts of documents are only ever set as text, never as markup.
"use strict";
const report = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function html(name, className = "", text = "") {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.textContent = text;
    return element;
  }

  // Numbers of 16 bits, low byte first; 65,535 stands for none.
  function numbers(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    return new Uint16Array(bytes.buffer);
  }

  // Round values from low to high, about so many.
  function ticks(low, high, many) {
    const rough = (high - low) / Math.max(many, 1);
    if (!(rough > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => size >= rough);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-6; at += 1) found.push(at * step);
    return found;
  }

  function written(value, digits, percent) {
    if (percent) return (100 * value).toFixed(digits) + " %";
    return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  // As few digits as tell ticks apart.
  function tickText(value, step, percent) {
    const shown = percent ? 100 * step : step;
    const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(shown) + 1e-9)));
    return written(value, digits, percent).replace(" %", "%");
  }

  // Draws now, and again when the place has another width.
  function keepDrawn(place, draw) {
    let width = 0;
    const look = () => {
      if (place.clientWidth === width || !place.clientWidth) return;
      width = place.clientWidth;
      draw(width);
    };
    new ResizeObserver(look).observe(place);
    look();
  }

  const tip = document.getElementById("tip");
  function show(event, lines) {
    tip.replaceChildren(...lines.filter(Boolean).map((line) => html("div", "", line)));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = event.clientX + 14 + box.width > innerWidth ? event.clientX - 14 - box.width : event.clientX + 14;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 4)) + "px";
  }
  const hide = () => { tip.hidden = true; };
  addEventListener("scroll", hide, { passive: true });

  return { data, svg, html, numbers, ticks, tickText, written, keepDrawn, show, hide };
})();
