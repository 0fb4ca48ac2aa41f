/** Starts a page: settings, messages, the address, and who is signed in. */
import { api } from "./api.js";
import { ApiError, mayPass } from "./client.js";
import { loadMessages } from "./data/messages.js";
import { applyTheme, recall } from "./data/settings.js";
import { change, state } from "./data/store.js";
import { keepFocus } from "./frame/kept_focus.js";
import { html, render } from "./vendor/htm_preact.js";

/**
 * Signing in and out: {enter, leave, checkSignedIn}. `entered()` is called for a person who is signed
 * in and begins the stream, `left()` ends it; `forgotten()` are the values of the state without it.
 */
export function signing({ entered, left, forgotten }) {
  /** Load who is signed in; then open the views, or ask the person to sign in. */
  async function enter() {
    try {
      const me = await api.me();
      change({ me, page: "open" });
      entered();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mayPass(error)) setTimeout(enter, 1000);
      else leave();
    }
  }

  /** Show the page for signing in; the stream ends. */
  function leave() {
    left();
    change({ me: null, page: "sign_in", connection: "connecting", ...forgotten() });
  }

  /** A stream that does not open gives no reason; the API says whether the person is signed in. */
  async function checkSignedIn() {
    try {
      await api.me();
    } catch (error) {
      if (error.status === 401) leave();
    }
  }

  return { enter, leave, checkSignedIn };
}

/**
 * Draw the page and follow the address: `#first-start=TOKEN`, `#/pair`, or another one, which
 * `showAddress(page)` shows. `app` is passed to the views; its `enter` loads who is signed in.
 */
export async function startPage({ Frame, app, showAddress }) {
  function readAddress() {
    const page = location.hash.replace(/^#\/?/, "");
    if (page.startsWith("first-start=")) change({ page: "first_start", token: page.slice(12) });
    else if (page === "pair") change({ page: "pair" });
    else {
      if (["first_start", "pair"].includes(state.page)) change({ page: state.me ? "open" : "sign_in" });
      showAddress(page);
    }
  }

  applyTheme(recall("theme", "system"));
  await loadMessages();
  keepFocus();
  addEventListener("hashchange", readAddress);
  readAddress();
  render(html`<${Frame} app=${app} />`, document.getElementById("app"));
  if (!["first_start", "pair"].includes(state.page)) await app.enter();
}
