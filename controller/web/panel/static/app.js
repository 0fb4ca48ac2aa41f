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

/** Whether the same request can succeed soon: no reply, too many requests, or a table that starts. */
const mayPass = ({ status }) => status === 0 || status === 429 || status >= 500;

/** Load who is signed in; then open the views, or ask the person to sign in. */
async function enter() {
  try {
    const me = await api.me();
    change({ me, page: "open" });
    follow();
    insist(loadGames);
    insist(loadPresets);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (mayPass(error)) setTimeout(enter, 1000);
    else leave();
  }
}

/** Show the page for signing in; the stream ends. */
function leave() {
  stream?.close();
  stream = null;
  change({ me: null, page: "sign_in", status: null, connection: "connecting" });
}

/** Load a list of the views; ask again if the table cannot answer now, and not from the beginning. */
async function insist(load) {
  if (!state.me) return;
  try {
    await load();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) leave();
    else if (mayPass(error)) setTimeout(insist, 2000, load);
  }
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
      keepActs(event);
      report(event);
    },
    // Events that are missed are not sent again, so that a list with gaps would name wrong acts.
    connection: (connection) => change(connection === "lost" ? { connection, acts: [] } : { connection }),
    refused: leave,
    attemptFailed: checkSignedIn,
  });
}

/** Keep the acts of the present hand up to date with an event. */
function keepActs(event) {
  if (event.event === "action_taken") change({ acts: [...state.acts, { seat: event.seat, do: event.do }] });
  else if (event.event === "actions_taken_back") change({ acts: state.acts.slice(0, -event.acts) });
  else if (event.event === "walls_raised" || event.event === "settled") change({ acts: [] });
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
