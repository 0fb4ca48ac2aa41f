/** The client of the table's API: requests, commands with an id, errors as sentences. */
const ROOT = new URL("api/v1/", document.baseURI);
/** Milliseconds after which an unanswered request is given up. */
const LIMIT = 15000;
/** Attempts of a command whose reply did not arrive; the id makes a repetition harmless. */
const ATTEMPTS = 4;

let csrf = "";

/** A refusal of the API: `message` says what is wrong, `nextStep` what a person can do. */
export class ApiError extends Error {
  constructor(status, sentence, nextStep = "", code = "") {
    super(sentence);
    this.status = status;
    this.nextStep = nextStep;
    this.code = code;
  }
}

/** The address of the status stream. */
export const STREAM = new URL("stream", ROOT).pathname;

/** Send one request; returns the reply's JSON. Raises ApiError; status 0 if there is no reply. */
export async function request(method, path, body) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  let reply;
  try {
    reply = await fetch(new URL(path, ROOT), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(LIMIT),
    });
  } catch {
    throw new ApiError(0, "", "", "no_reply");
  }
  const text = await reply.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    value = null;
  }
  if (value?.csrf) csrf = value.csrf;
  if (reply.ok) return value;
  throw problem(reply.status, value ?? {});
}

/** The sentence and next step of a problem document (RFC 9457). */
function problem(status, document) {
  const sentence = document.detail ?? document.sentence ?? document.title ?? "";
  return new ApiError(
    status,
    typeof sentence === "string" ? sentence : JSON.stringify(sentence),
    document.next_step ?? document.nextStep ?? "",
    document.code ?? "",
  );
}

const get = (path) => request("GET", path);
const post = (path, body = {}) => request("POST", path, body);

/** An id for a command; unique without a secure context, where `randomUUID` does not exist. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Give the table a command. Returns its reply {id, state, sentence}; raises ApiError for a refusal.
 * A command without a reply is sent again with the same id.
 */
export async function command(name, values = {}) {
  const body = { id: newId(), name, arguments: values };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const reply = await post("commands", body);
      if (reply.state !== "refused") return reply;
      throw new ApiError(409, reply.sentence, reply.next_step, reply.code);
    } catch (error) {
      if (error.status !== 0 || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 400 * attempt));
    }
  }
}

export const api = {
  health: () => get("health"),
  me: () => get("me"),
  login: (name, password) => post("login", { name, password }),
  logout: () => post("logout"),
  firstStart: (token, name, password) => post("first-start", { token, name, password }),
  pair: (code, name) => post("pair", { code, name }),
  commands: () => get("commands"),
  games: () => get("games"),
  presets: () => get("presets"),
  geometry: () => get("geometry"),
  sessions: (before = "", limit = 20) => get(`sessions?limit=${limit}${before && `&before=${encodeURIComponent(before)}`}`),
  results: (session, after = 0, limit = 50) =>
    get(`sessions/${encodeURIComponent(session)}/results?after=${after}&limit=${limit}`),
  journal: (after = 0, limit = 50) => get(`journal?after=${after}&limit=${limit}`),
  faults: () => get("faults"),
  judge: (game, value) => post(`judge/${encodeURIComponent(game)}`, value),
  users: () => get("users"),
};
