/** Starts the panel: settings, sign-in, the status stream, and the view of the address. */
import { ApiError, STREAM, TAB, api } from "./api.js";
import { announce } from "./data/announcements.js";
import { loadMessages } from "./data/messages.js";
import { applyTheme, recall } from "./data/settings.js";
import { change, report, state } from "./data/store.js";
import { StatusStream } from "./data/stream.js";
import { Frame } from "./frame/frame.js";
import { keepFocus } from "./frame/kept_focus.js";
import { html, render } from "./vendor/htm_preact.js";

let stream = null;

/** Read the address: `#first-start=TOKEN`, `#/pair`, or the name of a view such as `#/dealer`. */
function readAddress() {
  const page = location.hash.replace(/^#\/?/, "");
  if (page.startsWith("first-start=")) change({ page: "first_start", token: page.slice(12) });
  else if (page === "pair") change({ page: "pair" });
  else {
    if (["first_start", "pair"].includes(state.page)) change({ page: state.me ? "open" : "sign_in" });
    change({ view: page });
  }
}

/** Load who is signed in; then open the views, or ask the person to sign in. */
async function enter() {
  try {
    const me = await api.me();
    change({ me, page: "open" });
    follow();
    await Promise.all([loadGames(), loadPresets()]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if ([0, 502, 503, 504].includes(error.status)) setTimeout(enter, 1000);
    else leave();
  }
}

/** Show the page for signing in; the stream ends. */
function leave() {
  stream?.close();
  stream = null;
  change({ me: null, page: "sign_in", status: null, connection: "connecting" });
}

const loadGames = async () => change({ games: await api.games() });
const loadPresets = async () => change({ presets: await api.presets() });

function follow() {
  stream?.close();
  stream = new StatusStream(STREAM, TAB, {
    status(status, at) {
      announce(state.status, status);
      change({ status, at, receivedAt: performance.now() });
    },
    event(event) {
      if (event.event === "action_taken") change({ acts: [...state.acts, { seat: event.seat, do: event.do }] });
      else if (event.event === "walls_raised" || event.event === "settled") change({ acts: [] });
      report(event);
    },
    connection: (connection) => change({ connection }),
    refused: leave,
    attemptFailed: checkSignedIn,
  });
}

/** A socket that does not open gives no reason; the API says whether the person is signed in. */
async function checkSignedIn() {
  try {
    await api.me();
  } catch (error) {
    if (error.status === 401) leave();
  }
}

async function start() {
  applyTheme(recall("theme", "system"));
  await loadMessages();
  keepFocus();
  addEventListener("hashchange", readAddress);
  readAddress();
  const app = { enter, leave, loadPresets };
  render(html`<${Frame} app=${app} />`, document.getElementById("app"));
  if (!["first_start", "pair"].includes(state.page)) await enter();
}

start();
