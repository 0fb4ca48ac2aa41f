/** The client of an API, of a table or of a floor: requests, sign-in, accounts, errors as sentences. */

/** The address below which all paths of the API are. */
export const ROOT = new URL("api/v1/", document.baseURI);

/** A part of a path, with its special characters escaped. */
export const part = encodeURIComponent;

/** A refusal of the API: `message` says what is wrong, `nextStep` what a person can do. */
export class ApiError extends Error {
  constructor(status, sentence, nextStep = "", code = "") {
    super(sentence);
    this.status = status;
    this.nextStep = nextStep;
    this.code = code;
  }
}

/**
 * A client: {request, get, post, text, save, accounts}. An unanswered request is given up after
 * `limit` ms, one for a file after `longLimit` ms. `headers` are sent with every request.
 */
export function apiClient({ limit, longLimit, headers = {} }) {
  let csrf = "";

  /** Send one request. Raises ApiError; its status is 0 if there is no reply. */
  async function send(method, path, body, signal = AbortSignal.timeout(limit)) {
    const sent = { Accept: "application/json", ...headers };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    if (method !== "GET") sent["X-CSRF-Token"] = csrf;
    try {
      return await fetch(new URL(path, ROOT), {
        method,
        headers: sent,
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
    for (const cause of [signal, AbortSignal.timeout(limit)]) cause.addEventListener("abort", end);
    return either.signal;
  }

  /** Send one request; returns the reply's JSON. Raises ApiError, also when `signal` gives it up. */
  async function request(method, path, body, signal) {
    const reply = await send(method, path, body, signal && limited(signal));
    const value = await readJson(reply);
    if (value?.csrf) csrf = value.csrf;
    if (reply.ok) return value;
    throw problem(reply.status, value ?? {});
  }

  const get = (path) => request("GET", path);
  const post = (path, body = {}, signal) => request("POST", path, body, signal);
  const remove = (path) => request("DELETE", path);

  /** The text of a reply that is no JSON. Raises ApiError. */
  async function text(path) {
    return (await checked(await send("GET", path))).text();
  }

  /** Save the reply to a request as a file of this name. Raises ApiError. */
  async function save(path, name) {
    const reply = await checked(await send("GET", path, undefined, AbortSignal.timeout(longLimit)));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await reply.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), longLimit);
  }

  /** The endpoints of sign-in and accounts, which tables and floors have in common. */
  const accounts = {
    health: () => get("health"),
    me: () => get("me"),
    login: (name, password) => post("login", { name, password }),
    logout: () => post("logout"),
    firstStart: (token, name, password) => post("first-start", { token, name, password }),
    pair: (code) => post("pair", { code }),
    users: async () => (await get("users")).users,
    addUser: (name, role, password) => post("users", { name, role, password }),
    changeUser: (name, changes) => request("PATCH", `users/${part(name)}`, changes),
    deleteUser: (name) => remove(`users/${part(name)}`),
    keys: async () => (await get("keys")).keys,
    addPairingCode: (name, role) => post("pairing-codes", { name, role }),
    addToken: (name, role, days) => post("tokens", { name, role, days }),
    revokeKey: (key) => remove(`keys/${part(key)}`),
  };
  return { request, get, post, text, save, accounts };
}

/** Whether the same request can succeed soon: no reply, too many requests, or a service that starts. */
export const mayPass = ({ status }) => status === 0 || status === 429 || status >= 500;

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

/** The reply if it is a success. Raises ApiError. */
async function checked(reply) {
  if (!reply.ok) throw problem(reply.status, (await readJson(reply)) ?? {});
  return reply;
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
