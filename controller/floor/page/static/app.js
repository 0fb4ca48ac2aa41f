/** Starts the floor's page: the room's stream, and the view of the address. */
import { STREAM } from "./api.js";
import { RoomStream } from "./data/room_stream.js";
import { change, may } from "./data/store.js";
import { Frame } from "./frame/frame.js";
import { signing, startPage } from "./page_start.js";

let stream = null;

const { enter, leave, checkSignedIn } = signing({
  entered() {
    stream?.close();
    stream = may("dealer-reads") ? new RoomStream(STREAM, checkSignedIn) : null;
  },
  left() {
    stream?.close();
    stream = null;
  },
  forgotten: () => ({ tables: new Map(), alarms: [] }),
});

/** Show the address `#/table/NAME`, or that of a view such as `#/report`. */
function showAddress(page) {
  const [view, table = ""] = page.split("/");
  change({ view: view || "room", table });
  scrollTo(0, 0);
}

startPage({ Frame, app: { enter, leave }, showAddress });
