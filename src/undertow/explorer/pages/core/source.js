// What is explored, known to all pages: the facts, the tree of topics, and how many of them are looked at.

import { forget, get, send } from "./api.js";
import { Tree } from "./tree.js";

let facts = null;
let asked = null;
let tree = null;
let count = null; // topics that are looked at; null for the model's own number

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

/** The tree of topics; null for a model of an earlier version, which has none. */
export async function loadTree() {
  if (tree !== null) return tree;
  try {
    tree = new Tree(await get("/api/tree"));
  } catch (error) {
    if (error.status !== 404) throw error;
  }
  return tree;
}

/** The tree, once it is known. */
export function topicTree() {
  return tree;
}

/** Asks for the tree anew: the overview has come, and sizes are known better. The old one serves until then. */
export async function renewTopics() {
  forget();
  tree = new Tree(await get("/api/tree"));
}

/** Sends an edit; the tree that comes back takes the place of the old one. Returns the topics that were made. */
export async function edit(action) {
  const before = tree;
  const answer = await send("/api/edit", action);
  forget();
  tree = new Tree(answer.tree);
  if (count !== null) count = tree.count(count + grown(action, before));
  if (count === tree.chosen) count = null;
  return answer.made;
}

/** How many topics more there are to look at, so that all others stay as they are. */
function grown({ action, topics, topic }, before) {
  const changes = { merge: () => 1 - topics.length, split: () => before.below[topic].length - 1, drop: () => -1, restore: () => 1, seed: () => 1 };
  return changes[action]?.() ?? 0;
}

/** How many topics are looked at. An address may say so; what was chosen last stays chosen on other pages. */
export function topicCount(query) {
  const told = query?.get("n");
  if (told && /^\d{1,6}$/.test(told)) chooseCount(Number(told));
  return count === null ? tree.chosen : tree.count(count);
}

export function chooseCount(n) {
  const wanted = tree.count(n);
  count = wanted === tree.chosen ? null : wanted;
}

/** The number as addresses have it: nothing for the model's own. */
export function countParameter() {
  return count === null ? "" : String(count);
}

/** The name of a topic. */
export function topicName(id, otherwise = `topic ${id}`) {
  return tree?.names[id] ?? otherwise;
}
