// What is explored, known to all pages.

import { get } from "./api.js";

let facts = null;
let asked = null;

/** The facts, once they are known. */
export function about() {
  return facts;
}

/** Asks for the facts the first time; newer ones take their place. */
export async function learn(newer = null) {
  if (newer !== null) facts = newer;
  if (facts !== null) return facts;
  asked ??= get("/api/about", {}, { fresh: true });
  try {
    facts = await asked;
  } finally {
    asked = null;
  }
  return facts;
}

/** All topics, the most active first. */
export async function allTopics(signal) {
  return (await get("/api/topics", { sort: "activity" }, { signal })).topics;
}
