// Talking to the server: JSON and arrays, errors with the server's own words, and answers kept for the back button.

const KEPT = 60;
const TOKEN = "undertow-token";
const kept = new Map();
let era = 0; // answers that were asked for before all was forgotten are not kept
let given = null;

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
  const begun = era;
  const answer = await (await request(url, signal)).json();
  if (!fresh && begun === era) keep(url, answer);
  return answer;
}

/** Sends an edit with the token of this session, and returns the answer. */
export async function send(path, body) {
  const headers = { "Content-Type": "application/json", "X-Undertow-Token": token() ?? "" };
  return (await request(path, undefined, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/** What allows to edit: it comes with the address that the command printed, and stays in this tab. */
export function token() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return given;
  }
}

/** Takes the token out of the address, so that it is in no history and no bookmark. */
export function takeToken() {
  const found = /^#token=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  given = found[1];
  history.replaceState(history.state, "", "#/topics");
  try {
    sessionStorage.setItem(TOKEN, given);
  } catch {
    // storage may be switched off; it is kept until the page is loaded again
  }
}

/** Bytes. */
export async function bytes(path, { signal } = {}) {
  return (await request(path, signal)).arrayBuffer();
}

/** An id may hold anything, slashes too. */
export function ofDocument(kind, id) {
  return `/api/${kind}/${encodeURIComponent(id)}`;
}

/** Forgets what was kept: the overview has come, or topics were edited. */
export function forget() {
  kept.clear();
  era++;
}

/** Whether a request was given up on purpose. */
export function aborted(error) {
  return error?.name === "AbortError";
}

async function request(url, signal, options = {}) {
  let response;
  try {
    response = await fetch(url, { signal, ...options });
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
