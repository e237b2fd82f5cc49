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

let names = new Map();

/** All topics, the most active first. Names that several topics have come with the number; `given` is as it was. */
export async function allTopics(signal) {
  const { topics } = await get("/api/topics", { sort: "activity" }, { signal });
  const times = new Map();
  for (const { name } of topics) times.set(name, (times.get(name) ?? 0) + 1);
  const told = topics.map((topic) => ({ ...topic, given: topic.name, name: times.get(topic.name) > 1 ? `${topic.name} (${topic.id})` : topic.name }));
  names = new Map(told.map(({ id, name }) => [id, name]));
  return told;
}

/** The name of a topic, told apart from others; `otherwise` until the topics are known. */
export function topicName(id, otherwise = `topic ${id}`) {
  return names.get(id) ?? otherwise;
}
