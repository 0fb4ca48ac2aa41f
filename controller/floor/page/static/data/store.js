/** The state of the page: one object, whose changes are passed to the views once per frame. */
import { RANKS, pageState } from "./page_state.js";

export const state = {
  /** The signed-in person or device: {name, role, csrf}; null if nobody is signed in. */
  me: null,
  /** "loading", "sign_in", "first_start", "pair" or "open". */
  page: "loading",
  /** "connecting", "live" or "lost". */
  connection: "connecting",
  /** The name of the floor; empty before the first message. */
  floor: "",
  /** Whether the floor is connected with the broker and with its database. */
  broker: true,
  database: true,
  /** Tables by name, as `controller/floor/page/room_feed.py` makes them. */
  tables: new Map(),
  /** Open alarms, oldest first. */
  alarms: [],
  /** Column and row of tables by name. */
  plan: {},
  /** The floor's time of the last message, ms since 1970, and the page's own time of its arrival. */
  at: 0,
  receivedAt: 0,
  /** The present address: the name of a view, and of a table. */
  view: "",
  table: "",
  /** Figures of the last hours: {hours, value, error}. */
  figures: { hours: 8, value: null, error: null },
  /** Views' own values that outlive a change of the view. */
  drafts: {},
};

const functions = pageState(state);

/** Change values of the state; the followers are called in the next frame. */
export const change = functions.change;
/** Call a function after changes; returns the function that ends that. */
export const follow = functions.follow;
/** A value for this tab only, or another one if it is not set: `draft(key, otherwise)`. */
export const draft = functions.draft;
/** Set a draft, to a value or by a function of the present one. */
export const setDraft = functions.setDraft;

/** The floor's time now, ms since 1970. */
export const floorTime = () => state.at + performance.now() - state.receivedAt;

/** Whether the signed-in person or device may do what needs this least role. */
export function may(least) {
  const role = state.me?.role;
  if (role === "auditor") return least === "auditor" || least === "dealer-reads";
  const wanted = RANKS.indexOf(least === "dealer-reads" ? "dealer" : least);
  return wanted >= 0 && RANKS.indexOf(role) >= wanted;
}

/** Whether the signed-in person can act in a person's name: acknowledge, or request. */
export const acts = () => state.me?.kind === "login" && may("attendant");
