/** The state of the page: one object, whose changes are passed to the views once per frame. */
import { RANKS, pageState } from "./page_state.js";

export const state = {
  /** The signed-in person or device: {name, role, client}; null if nobody is signed in. */
  me: null,
  /** "loading", "sign_in", "first_start", "pair" or "open". */
  page: "loading",
  connection: "connecting",
  status: null,
  /** Table time of the last message with a time, and the page's own time of its arrival. */
  at: 0,
  receivedAt: 0,
  games: [],
  presets: {},
  view: "",
  /** The acts of the present hand since this page was opened: {seat, do}. */
  acts: [],
  /** Views' own values that outlive a change of the view: the game being chosen, for instance. */
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

/** Followers of the table's events, such as the picture. */
const listeners = new Set();
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export function report(event) {
  for (const listener of listeners) listener(event);
}

/** Seconds of the table's clock now. */
export const tableTime = () => state.at + (performance.now() - state.receivedAt) / 1000;

/** Whether `role` may give a command whose least role is `least`. */
export function includes(role, least) {
  if (role === "table") return least === "table" || least === "player";
  if (role === "auditor") return least === "auditor";
  return RANKS.includes(role) && RANKS.indexOf(least) >= 0 && RANKS.indexOf(least) <= RANKS.indexOf(role);
}

/** Whether the signed-in person or device may give commands with this least role. */
export const may = (least) => includes(state.me?.role, least);
