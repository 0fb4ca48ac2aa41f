/** The client of the table's API: its endpoints, and commands with an id. */
import { ROOT, apiClient, part } from "./client.js";

/** Attempts of a command whose reply did not arrive; the id makes a repetition harmless. */
const ATTEMPTS = 4;
/** Milliseconds after a tap in which its command is sent again; a device may sleep in between. */
const LATEST = 20000;
/** Statuses after which a command is sent again: no reply, or one of a proxy or a table that starts. */
const UNANSWERED = [0, 502, 503, 504];
/** The number of journal lines on a page. */
export const JOURNAL_PAGE = 50;

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

const client = apiClient({ limit: 15000, longLimit: 120000, headers: { "X-Client-Id": TAB } });
const { accounts, get, post, save } = client;

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
const journal = async (after) =>
  (await client.text(`journal?after=${after}&limit=${JOURNAL_PAGE}`)).split("\n").filter(Boolean);

/** Who is signed in, with the id by which the table names this tab. */
const identified = (caller) => ({ ...caller, client: `${caller.login}.${TAB}` });

export const api = {
  ...accounts,
  me: async () => identified(await accounts.me()),
  games: async () => (await get("games")).games,
  presets: async () => (await get("presets")).presets,
  geometry: () => get("geometry"),
  preview: (choice, throws = []) => post("preview", { choice, throws }),
  sessions: (before, limit = 20) => get(`sessions?limit=${limit}${before ? `&before=${part(before)}` : ""}`),
  results: (session, after = 0, limit = 50) => get(`sessions/${part(session)}/results?after=${after}&limit=${limit}`),
  resultForm: (session, hand) => get(`sessions/${part(session)}/hands/${hand}/result-form`),
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
};
