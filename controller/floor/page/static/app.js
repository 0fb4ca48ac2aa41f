/** Starts the page: settings, sign-in, the room's stream, and the view of the address. */
import { ApiError, STREAM, api } from "./api.js";
import { loadMessages } from "./data/messages.js";
import { RoomStream } from "./data/room_stream.js";
import { applyTheme, recall } from "./data/settings.js";
import { change, may, state } from "./data/store.js";
import { Frame } from "./frame/frame.js";
import { keepFocus } from "./frame/kept_focus.js";
import { html, render } from "./vendor/htm_preact.js";

let stream = null;

/** Read the address: `#first-start=TOKEN`, `#/pair`, `#/table/NAME`, or a view such as `#/report`. */
function readAddress() {
  const page = location.hash.replace(/^#\/?/, "");
  if (page.startsWith("first-start=")) change({ page: "first_start", token: page.slice(12) });
  else if (page === "pair") change({ page: "pair" });
  else {
    if (["first_start", "pair"].includes(state.page)) change({ page: state.me ? "open" : "sign_in" });
    const [view, table = ""] = page.split("/");
    change({ view: view || "room", table });
    scrollTo(0, 0);
  }
}

/** Whether the same request can succeed soon: no reply, too many requests, or a floor that starts. */
const mayPass = ({ status }) => status === 0 || status === 429 || status >= 500;

/** Load who is signed in; then open the views, or ask the person to sign in. */
async function enter() {
  try {
    const me = await api.me();
    change({ me, page: "open" });
    stream?.close();
    stream = may("dealer-reads") ? new RoomStream(STREAM, checkSignedIn) : null;
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
  change({ me: null, page: "sign_in", tables: new Map(), alarms: [], connection: "connecting" });
}

/** A stream that does not open gives no reason; the API says whether the person is signed in. */
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
  render(html`<${Frame} app=${{ enter, leave }} />`, document.getElementById("app"));
  if (!["first_start", "pair"].includes(state.page)) await enter();
}

start();
