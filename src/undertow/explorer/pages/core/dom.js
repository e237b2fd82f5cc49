// Elements. Everything that comes from the server becomes a text node or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";
const LINKS = ["#", "/api", "/openapi.json"]; // what links of these pages may begin with

/** An HTML element: h("a", {class: "chip", href: "#/topics/1", on: {click}, style: {"--w": "40%"}}, "text", ...). */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** A link out of these pages, to an address that a corpus gave; plain text unless it is one of the web. */
export function outside(address, ...children) {
  if (!ofTheWeb(address)) return h("span", {}, ...children);
  const element = h("a", { target: "_blank", rel: "noopener noreferrer", title: address }, ...children);
  element.setAttribute("href", address);
  return element;
}

function ofTheWeb(address) {
  try {
    return ["http:", "https:"].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds; null and false are left out. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
  } else if (name === "style") {
    for (const [property, given] of Object.entries(value)) element.style.setProperty(property, given);
  } else if (name === "value") {
    element.value = value;
  } else if (name.startsWith("on") || (name === "href" && !LINKS.some((start) => value.startsWith(start)))) {
    throw new Error(`attribute ${name} must not be ${value}`);
  } else {
    element.setAttribute(name, value === true ? "" : value);
  }
}

const ICONS = {
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14zM16.2 16.2L21 21",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  moon: "M20 14.2A8.2 8.2 0 0 1 9.8 4a8.2 8.2 0 1 0 10.2 10.2z",
  move: "M12 3v18M3 12h18M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5",
  box: "M5 5h3M11 5h3M17 5h2v2M19 10v3M19 16v3h-2M14 19h-3M8 19H5v-2M5 14v-3M5 8V5",
  lasso: "M12 4.5c4.7 0 8.5 2.3 8.5 5.5s-3.8 5.5-8.5 5.5S3.5 13.2 3.5 10S7.3 4.5 12 4.5zM7 14.7c-1.6 1.2-1.7 3.3.5 3.8c1.8.4 2.3 1.5 1.3 2.8",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  home: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  close: "M6 6l12 12M18 6L6 18",
};

/** A small drawing that goes with a text or a label, and says nothing itself. */
export function icon(name) {
  const drawing = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  drawing.append(svg("path", { d: ICONS[name] }));
  return drawing;
}
