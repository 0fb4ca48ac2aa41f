/** The mechanics of a page's state: changes, which are passed to the views once per frame, and drafts. */

/** Roles of people on the table, from the one with the fewest rights. */
export const RANKS = ["player", "dealer", "attendant", "technician"];

/** The functions of a state: {change, follow, draft, setDraft}. `state.drafts` holds the drafts. */
export function pageState(state) {
  const followers = new Set();
  let planned = 0;

  /** Change values of the state; the followers are called in the next frame. */
  function change(values) {
    Object.assign(state, values);
    if (!planned) planned = requestAnimationFrame(publish);
  }

  function publish() {
    planned = 0;
    for (const follower of followers) follower();
  }

  /** Call `follower` after changes; returns the function that ends that. */
  function follow(follower) {
    followers.add(follower);
    return () => followers.delete(follower);
  }

  /** A value for this tab only, such as a half-typed name. */
  const draft = (key, otherwise) => state.drafts[key] ?? otherwise;

  /** Set a draft. A function receives the present draft, which can be newer than the one last drawn. */
  function setDraft(key, value) {
    const next = typeof value === "function" ? value(state.drafts[key]) : value;
    change({ drafts: { ...state.drafts, [key]: next } });
  }

  return { change, follow, draft, setDraft };
}
