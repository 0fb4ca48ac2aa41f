/** The client of the table's API: requests, commands with an id, errors as sentences. */
const ROOT = new URL("api/v1/", document.baseURI);
/** Milliseconds after which an unanswered request is given up. */
const LIMIT = 15000;
/** The same for a file, which the table may have to make first. */
const LONG_LIMIT = 120000;
/** Attempts of a command whose reply did not arrive; the id makes a repetition harmless. */
const ATTEMPTS = 4;
/** Milliseconds after a tap in which its command is sent again; a device may sleep in between. */
const LATEST = 20000;
/** Statuses after which a command is sent again: no reply, or one of a proxy or a table that starts. */
const UNANSWERED = [0, 502, 503, 504];
/** The number of journal lines on a page. */
export const JOURNAL_PAGE = 50;

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

/** An id for a command or a tab; it needs no secure context, as `randomUUID` does. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The id of this tab. It outlives a reload, so that a client which leads a recovery keeps the lead. */
export const TAB = tabId();

function tabId() {
  try {
    const kept = sessionStorage.getItem("wallwright.tab") ?? newId();
    sessionStorage.setItem("wallwright.tab", kept);
    return kept;
  } catch {
    return newId();
  }
}

/** The address of the status stream. */
export const STREAM = new URL("stream", ROOT).pathname;

/** The address of the page that replays one hand. */
export const replayAddress = (session, hand) =>
  new URL(`sessions/${part(session ?? "")}/hands/${hand}/replay.html`, ROOT).href;

/** The address of the file of a recorded hand's case, of one seat if the case depends on it. */
export const caseAddress = (session, hand, seat) =>
  new URL(`sessions/${part(session ?? "")}/hands/${hand}/case.yaml${seat === undefined ? "" : `?seat=${seat}`}`, ROOT).href;

/** Send one request. Raises ApiError; its status is 0 if there is no reply. */
async function send(method, path, body, signal = AbortSignal.timeout(LIMIT)) {
  const headers = { Accept: "application/json", "X-Client-Id": TAB };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  try {
    return await fetch(new URL(path, ROOT), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal,
    });
  } catch {
    throw new ApiError(0, "", "", "no_reply");
  }
}

/** A signal that gives a request up at the usual limit, or before it with `signal`. */
function limited(signal) {
  const either = new AbortController();
  const end = () => either.abort();
  for (const cause of [signal, AbortSignal.timeout(LIMIT)]) cause.addEventListener("abort", end);
  return either.signal;
}

/** Send one request; returns the reply's JSON. Raises ApiError, also when `signal` gives it up. */
export async function request(method, path, body, signal) {
  const reply = await send(method, path, body, signal && limited(signal));
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
function problem(status, document) {
  const sentence = document.detail ?? document.title ?? "";
  return new ApiError(
    status,
    typeof sentence === "string" ? sentence : JSON.stringify(sentence),
    document.next_step ?? "",
    document.code ?? "",
  );
}

const get = (path) => request("GET", path);
const post = (path, body = {}, signal) => request("POST", path, body, signal);
const remove = (path) => request("DELETE", path);

/**
 * Give the table a command. Returns its reply {id, state, sentence}; raises ApiError for a refusal.
 * A command without a reply is sent again with the same id, but not when the tap is long past.
 */
export async function command(name, values = {}) {
  const body = commandBody(name, values);
  const tapped = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await post("commands", body);
    } catch (error) {
      if (!UNANSWERED.includes(error.status) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 400 * attempt));
      if (Date.now() - tapped > LATEST) throw error;
    }
  }
}

/**
 * Give the table a command of which a repetition comes too late. Raises ApiError, also without a
 * reply and when `signal` gives the command up.
 */
export const commandOnce = (name, values, signal) => post("commands", commandBody(name, values), signal);

const commandBody = (name, values) => ({ id: newId(), name, arguments: values });

/** A page of the journal's lines after a record number. */
async function journal(after) {
  const reply = await send("GET", `journal?after=${after}&limit=${JOURNAL_PAGE}`);
  if (!reply.ok) throw problem(reply.status, (await readJson(reply)) ?? {});
  return (await reply.text()).split("\n").filter(Boolean);
}

/** Save the reply to a request as a file of this name. Raises ApiError. */
async function save(path, name) {
  const reply = await send("GET", path, undefined, AbortSignal.timeout(LONG_LIMIT));
  if (!reply.ok) throw problem(reply.status, (await readJson(reply)) ?? {});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await reply.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LONG_LIMIT);
}

/** Who is signed in, with the id by which the table names this tab. */
const identified = (caller) => ({ ...caller, client: `${caller.login}.${TAB}` });

export const api = {
  health: () => get("health"),
  me: async () => identified(await get("me")),
  login: (name, password) => post("login", { name, password }),
  logout: () => post("logout"),
  firstStart: (token, name, password) => post("first-start", { token, name, password }),
  pair: (code) => post("pair", { code }),
  games: async () => (await get("games")).games,
  presets: async () => (await get("presets")).presets,
  geometry: () => get("geometry"),
  preview: (choice, throws = []) => post("preview", { choice, throws }),
  sessions: (before, limit = 20) => get(`sessions?limit=${limit}${before ? `&before=${part(before)}` : ""}`),
  results: (session, after = 0, limit = 50) => get(`sessions/${part(session)}/results?after=${after}&limit=${limit}`),
  record: (session, hand) => get(`sessions/${part(session)}/hands/${hand}/record`),
  recordedCase: (session, hand, seat) =>
    get(`sessions/${part(session)}/hands/${hand}/case${seat === undefined ? "" : `?seat=${seat}`}`),
  rounds: () => get("rounds"),
  saveReceipt: (session, hand) => save(`sessions/${part(session)}/hands/${hand}/receipt.pdf`, `receipt-${hand}.pdf`),
  journal,
  save,
  faults: async () => (await get("faults")).faults,
  judgeForm: (game) => get(`judge/${part(game)}`),
  judge: (game, value) => post(`judge/${part(game)}`, value),
  users: async () => (await get("users")).users,
  addUser: (name, role, password) => post("users", { name, role, password }),
  changeUser: (name, changes) => request("PATCH", `users/${part(name)}`, changes),
  deleteUser: (name) => remove(`users/${part(name)}`),
  keys: async () => (await get("keys")).keys,
  addPairingCode: (name, role) => post("pairing-codes", { name, role }),
  addToken: (name, role, days) => post("tokens", { name, role, days }),
  revokeKey: (key) => remove(`keys/${part(key)}`),
};
