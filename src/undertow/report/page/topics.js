// The list of topics: sorted and searched in place.
"use strict";
(() => {
  const list = document.getElementById("topic-list");
  const topics = [...list.children];
  const words = new Map(topics.map((topic) => {
    const own = [...topic.children].filter((part) => !part.classList.contains("like"));  // not the names of others
    return [topic, own.map((part) => part.textContent).join(" ").toLowerCase()];
  }));
  const orders = {
    size: (one, other) => other.dataset.documents - one.dataset.documents || one.dataset.id - other.dataset.id,
    name: (one, other) => one.dataset.name.localeCompare(other.dataset.name) || one.dataset.id - other.dataset.id,
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
