/** Starts the panel: the status stream, and the view of the address. */
import { STREAM, TAB, api } from "./api.js";
import { ApiError, mayPass } from "./client.js";
import { announce } from "./data/announcements.js";
import { change, report, state } from "./data/store.js";
import { StatusStream } from "./data/stream.js";
import { Frame } from "./frame/frame.js";
import { signing, startPage } from "./page_start.js";

let stream = null;

const { enter, leave, checkSignedIn } = signing({
  entered() {
    follow();
    insist(loadGames);
    insist(loadPresets);
  },
  left() {
    stream?.close();
    stream = null;
  },
  forgotten: () => ({ status: null }),
});

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

/** Show the view of the address, such as `#/dealer`. */
const showAddress = (page) => change({ view: page });

startPage({ Frame, app: { enter, leave, loadPresets }, showAddress });
