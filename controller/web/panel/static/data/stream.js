/**
 * The WebSocket stream of the table's status: applies deltas, detects a lost connection, reconnects.
 *
 * Messages are {type: snapshot|delta|event|heartbeat|pong, run, sequence, at, status|patch|event}. A
 * heartbeat arrives every second. After a disconnect the client asks for the changes since its last
 * number in the same run of the service, and sends a ping, so that an answer comes at once.
 */
import { patched } from "./merge_patch.js";

/** Milliseconds without any message after which the connection counts as lost. */
export const SILENCE = 1600;
/** Milliseconds to wait before each further attempt to connect. */
export const BACK_OFF = [0, 250, 500, 1000, 2000, 4000];
/** Close codes with which the API refuses a client that is not signed in. */
const REFUSED = [4401, 4403];

export class StatusStream {
  /**
   * `on` has the functions `status(status, at)`, `event(event)`, `connection(state)` with state
   * "connecting", "live" or "lost", and `refused()` if the API asks the person to sign in.
   */
  constructor(path, client, on, { Socket = WebSocket, page = document } = {}) {
    this.path = path;
    this.client = client;
    this.run = "";
    this.on = on;
    this.Socket = Socket;
    this.sequence = null;
    this.status = null;
    this.attempt = 0;
    this.socket = null;
    this.closed = false;
    this.state = "connecting";
    this.lastMessage = performance.now();
    this.page = page;
    this.whenSeen = () => {
      if (page.visibilityState !== "hidden") this.wake();
    };
    this.whenOnline = () => this.wake();
    page.addEventListener("visibilitychange", this.whenSeen);
    addEventListener("online", this.whenOnline);
    addEventListener("pageshow", this.whenOnline);
    this.watch = setInterval(() => this.check(), 100);
    this.connect();
  }

  /** Connect at once if the connection is not live: the page is seen again, or the network is back. */
  wake() {
    this.attempt = 0;
    if (this.silent()) this.connect();
  }

  silent() {
    return performance.now() - this.lastMessage > SILENCE || !this.socket || this.socket.readyState > 1;
  }

  check() {
    if (this.state === "live" && performance.now() - this.lastMessage > SILENCE) {
      this.show("lost");
      this.connect();
    } else if (this.state === "connecting" && performance.now() - this.lastMessage > SILENCE) {
      this.show("lost");
    }
  }

  connect() {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.drop();
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("events", "1");
    url.searchParams.set("client", this.client);
    if (this.sequence !== null) {
      url.searchParams.set("since", String(this.sequence));
      url.searchParams.set("run", this.run);
    }
    const socket = new this.Socket(url);
    this.socket = socket;
    // An attempt that hangs behind a proxy is given up; the next one may get through.
    this.timer = setTimeout(() => this.again(socket), 5000);
    socket.onopen = () => socket.send(JSON.stringify({ type: "ping", id: 1 }));
    socket.onmessage = (message) => this.receive(socket, message.data);
    socket.onclose = (close) => {
      if (socket !== this.socket) return;
      if (REFUSED.includes(close.code)) {
        this.on.refused();
        return;
      }
      this.show("lost");
      this.again(socket);
    };
  }

  again(socket) {
    if (this.closed || socket !== this.socket) return;
    this.on.attemptFailed?.();
    const wait = BACK_OFF[Math.min(this.attempt, BACK_OFF.length - 1)];
    this.attempt += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), wait * (0.8 + 0.4 * Math.random()));
  }

  receive(socket, data) {
    if (socket !== this.socket) return;
    this.lastMessage = performance.now();
    const message = JSON.parse(data);
    if (message.type === "snapshot") {
      this.status = message.status;
      this.run = message.run;
      this.sequence = message.sequence;
      this.on.status(this.status, message.at);
    } else if (message.type === "delta") {
      if (this.status === null || message.sequence !== this.sequence + 1) {
        this.sequence = null; // a change is missing: start again from a snapshot
        this.connect();
        return;
      }
      this.status = patched(this.status, message.patch);
      this.sequence = message.sequence;
      this.on.status(this.status, message.at);
    } else if (message.type === "event") {
      this.on.event(message.event);
    }
    clearTimeout(this.timer);
    this.attempt = 0;
    this.show("live");
  }

  show(state) {
    if (state === this.state) return;
    this.state = state;
    this.on.connection(state);
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onclose = socket.onmessage = socket.onopen = null;
    socket.close();
  }

  /** End the stream. */
  close() {
    this.closed = true;
    clearInterval(this.watch);
    clearTimeout(this.timer);
    this.page.removeEventListener("visibilitychange", this.whenSeen);
    removeEventListener("online", this.whenOnline);
    removeEventListener("pageshow", this.whenOnline);
    this.drop();
  }
}
