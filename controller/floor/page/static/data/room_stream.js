/**
 * The stream of the room: the whole room at first, then the tables that have changed.
 *
 * Messages arrive at least every 2 s. After 6 s without one the page shows that the connection is
 * lost, and connects again; the first message of a connection replaces everything.
 *
 * A hidden page has no connection: a browser opens only six to a floor over HTTP/1.1, and as many tabs
 * would block one another. It signals nothing to a person, so that nothing is missed meanwhile.
 */
import { change, state } from "./store.js";

/** Milliseconds without any message after which the connection counts as lost. */
export const SILENCE = 6000;
/** Milliseconds to wait before each further attempt to connect. */
const BACK_OFF = [250, 500, 1000, 2000, 4000];

export class RoomStream {
  /** `refused` is called when an attempt fails, to find out whether the login has ended. */
  constructor(address, refused, Source = EventSource) {
    this.address = address;
    this.refused = refused;
    this.Source = Source;
    this.attempt = 0;
    this.last = performance.now();
    this.watch = setInterval(() => this.check(), 500);
    this.wake = () => {
      if (isHidden()) this.rest();
      else if (!this.source) this.resume();
      else if (this.isSilent()) this.connect();
    };
    document.addEventListener("visibilitychange", this.wake);
    addEventListener("online", this.wake);
    addEventListener("pageshow", this.wake);
    this.connect();
  }

  isSilent() {
    return performance.now() - this.last > SILENCE || this.source.readyState === 2;
  }

  /** End the connection until the page is seen again. */
  rest() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    change({ connection: "connecting" });
  }

  resume() {
    this.last = performance.now(); // the time of the rest is no silence
    this.connect();
  }

  check() {
    if (isHidden()) return;
    if (performance.now() - this.last > SILENCE && state.connection !== "lost") {
      change({ connection: "lost" });
      this.connect();
    }
  }

  connect() {
    if (isHidden()) return;
    clearTimeout(this.timer);
    this.source?.close();
    const source = new this.Source(this.address);
    this.source = source;
    source.onmessage = (message) => this.receive(source, message.data);
    source.onerror = () => this.failed(source);
    this.timer = setTimeout(() => this.failed(source), SILENCE);
  }

  failed(source) {
    if (source !== this.source) return;
    source.close();
    clearTimeout(this.timer);
    if (state.connection === "live") change({ connection: "lost" });
    this.refused();
    this.timer = setTimeout(() => this.connect(), BACK_OFF[Math.min(this.attempt, BACK_OFF.length - 1)]);
    this.attempt += 1;
  }

  receive(source, text) {
    if (source !== this.source) return;
    clearTimeout(this.timer);
    this.attempt = 0;
    this.last = performance.now();
    take(JSON.parse(text));
  }

  close() {
    clearInterval(this.watch);
    clearTimeout(this.timer);
    this.source?.close();
    document.removeEventListener("visibilitychange", this.wake);
    removeEventListener("online", this.wake);
    removeEventListener("pageshow", this.wake);
  }
}

const isHidden = () => document.visibilityState === "hidden";

/** Take a message of the stream into the state of the page. */
function take(message) {
  const tables = message.type === "room" ? new Map() : state.tables;
  for (const name of message.removed ?? []) tables.delete(name);
  for (const table of message.tables) tables.set(table.name, table);
  change({
    connection: "live",
    floor: message.floor,
    broker: message.broker,
    database: message.database,
    tables,
    alarms: message.alarms ?? state.alarms,
    plan: message.plan ?? state.plan,
    at: Date.parse(message.at),
    receivedAt: performance.now(),
  });
}
