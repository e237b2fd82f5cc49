// Talking to the server: JSON and arrays, errors with the server's own words, and answers kept for the back button.

const KEPT = 60;
const kept = new Map();

/** What the server said when it did not answer. */
export class ApiError extends Error {
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** An address with parameters; those that are empty are left out. */
export function address(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** JSON; the last answers are kept, unless `fresh`. */
export async function get(path, parameters = {}, { signal, fresh = false } = {}) {
  const url = address(path, parameters);
  if (!fresh && kept.has(url)) {
    const answer = kept.get(url);
    keep(url, answer);
    return answer;
  }
  const answer = await (await request(url, signal)).json();
  if (!fresh) keep(url, answer);
  return answer;
}

/** Bytes. */
export async function bytes(path, { signal } = {}) {
  return (await request(path, signal)).arrayBuffer();
}

/** An id may hold anything, slashes too. */
export function ofDocument(kind, id) {
  return `/api/${kind}/${encodeURIComponent(id)}`;
}

/** Forgets what was kept: the overview has come, and topics know more now. */
export function forget() {
  kept.clear();
}

/** Whether a request was given up on purpose. */
export function aborted(error) {
  return error?.name === "AbortError";
}

async function request(url, signal) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (aborted(error)) throw error;
    throw new ApiError("The server does not answer. Is `undertow explore` still running?", 0, {});
  }
  if (response.ok) return response;
  let body = {};
  try {
    body = await response.json();
  } catch {
    // no JSON: the status says it all
  }
  throw new ApiError(body.error ?? `The server answered with status ${response.status}.`, response.status, body);
}

function keep(url, answer) {
  kept.delete(url);
  kept.set(url, answer);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
}
