/** The client of the floor's API: requests, and errors as sentences. */
const ROOT = new URL("api/v1/", document.baseURI);
/** Milliseconds after which an unanswered request is given up; a table has 10 s to answer. */
const LIMIT = 20000;
/** The same for a report, which the floor has to compute first. */
const LONG_LIMIT = 60000;

let csrf = "";
const part = encodeURIComponent;

/** A refusal of the API: `message` says what is wrong, `nextStep` what a person can do. */
export class ApiError extends Error {
  constructor(status, sentence, nextStep = "", code = "") {
    super(sentence);
    this.status = status;
    this.nextStep = nextStep;
    this.code = code;
  }
}

/** The address of the stream of the room's changes. */
export const STREAM = new URL("floor/stream", ROOT).href;

/** Send one request. Raises ApiError; its status is 0 if there is no reply. */
async function send(method, path, body, limit = LIMIT) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  try {
    return await fetch(new URL(path, ROOT), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(limit),
    });
  } catch {
    throw new ApiError(0, "", "", "no_reply");
  }
}

/** Send one request; returns the reply's JSON. Raises ApiError. */
async function request(method, path, body) {
  const reply = await send(method, path, body);
  const value = await readJson(reply);
  if (value?.csrf) csrf = value.csrf;
  if (reply.ok) return value;
  throw problem(reply.status, value ?? {});
}

async function readJson(reply) {
  try {
    const text = await reply.text();
    return text ? JSON.parse(text) : null;
  } catch {
    // A reply that breaks off is none, also if it began as a success.
    if (reply.ok) throw new ApiError(0, "", "", "no_reply");
    return null;
  }
}

/** The sentence and the next step of a problem document (RFC 9457). */
const problem = (status, document) =>
  new ApiError(status, String(document.detail ?? document.title ?? ""), document.next_step ?? "", document.code ?? "");

const get = (path) => request("GET", path);
const post = (path, body = {}) => request("POST", path, body);
const remove = (path) => request("DELETE", path);

/** Save the reply to a request as a file of this name. Raises ApiError. */
async function save(path, name) {
  const reply = await send("GET", path, undefined, LONG_LIMIT);
  if (!reply.ok) throw problem(reply.status, (await readJson(reply)) ?? {});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await reply.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LONG_LIMIT);
}

export const api = {
  health: () => get("health"),
  me: () => get("me"),
  login: (name, password) => post("login", { name, password }),
  logout: () => post("logout"),
  firstStart: (token, name, password) => post("first-start", { token, name, password }),
  pair: (code) => post("pair", { code }),
  figures: (hours) => get(`floor/figures?hours=${hours}`),
  history: (table, before, everything) =>
    get(`floor/tables/${part(table)}/history?before=${before}&everything=${everything}`),
  games: async () => (await get("floor/games")).games,
  acknowledge: (alarm, note) => post(`floor/alarms/${alarm.log}/${alarm.number}/acknowledge`, { note }),
  retired: async () => (await get("floor/retired")).tables,
  retireTable: (table, reason, confirmed) => post(`floor/tables/${part(table)}/retire`, { reason, confirmed }),
  unretireTable: (table) => post(`floor/tables/${part(table)}/unretire`),
  renameTable: (table, title) => post(`floor/tables/${part(table)}/rename`, { title }),
  requestTable: (table, name, values) => post(`floor/tables/${part(table)}/requests`, { name, arguments: values }),
  save,
  users: async () => (await get("users")).users,
  addUser: (name, role, password) => post("users", { name, role, password }),
  changeUser: (name, changes) => request("PATCH", `users/${part(name)}`, changes),
  deleteUser: (name) => remove(`users/${part(name)}`),
  keys: async () => (await get("keys")).keys,
  addPairingCode: (name, role) => post("pairing-codes", { name, role }),
  addToken: (name, role, days) => post("tokens", { name, role, days }),
  revokeKey: (key) => remove(`keys/${part(key)}`),
};
