// The picture of one table: mounts it, and keeps it at the state of a status or of events.
import { Stage } from "./stage.js";
import { element } from "./drawing/svg.js";
import { extent } from "./drawing/felt.js";
import { emptyState, withStatus } from "./model/state.js";
import { withEvent } from "./model/events.js";
import { TableClock } from "./motion/table_clock.js";

/**
 * Draws a table into `container` and returns its controls.
 *
 * `geometry` is the JSON of controller/web/panel/geometry.py. Options: `messages` (words by key),
 * `reducedMotion` (true, false, or undefined for the system's setting), `rate` (seconds of the table
 * for each real second; measured from the events if it is left out).
 *
 * - `update(status)` shows a status; `event(event)` shows one event with its motion;
 * - `preview(deal)` plays the events of a preview and returns `{done, stop()}`; until it is stopped
 *   the picture shows the preview, and statuses are kept for later;
 * - `seek(events, time)` shows a recorded round at a time, without a clock of its own;
 * - `destroy()` removes the picture.
 */
export function mountTable(container, geometry, options = {}) {
  const svg = element("svg", { class: "table-scene", role: "img", focusable: "false" });
  const half = extent(geometry);
  svg.setAttribute("viewBox", `${-half} ${-half} ${2 * half} ${2 * half}`);
  container.appendChild(svg);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const isSudden = () => options.reducedMotion ?? calm.matches;
  const stage = new Stage(svg, geometry, options, isSudden);
  let state = emptyState();
  let previewing = null;
  let frame = 0;
  let destroyed = false;
  const clock = new TableClock(() => performance.now() / 1000, options.rate);
  const now = () => clock.now();

  function run() {
    frame = 0;
    if (destroyed || !stage.frame(now())) return;
    frame = requestAnimationFrame(run);
  }

  function wake() {
    if (!frame && !destroyed) frame = requestAnimationFrame(run);
  }

  const resized = new ResizeObserver(() => {
    stage.resize(svg.clientWidth);
    stage.redraw();
    stage.frame(stage.time);
  });
  resized.observe(svg);
  stage.resize(svg.clientWidth || 600);
  stage.show(state, { sudden: true, time: 0 });

  let fresh = true;

  function update(status) {
    state = withStatus(state, status, geometry);
    // What lay on the table before the page was opened has not moved: it is drawn in its place.
    const sudden = fresh || isSudden();
    fresh = false;
    if (previewing) return;
    stage.show(state, { time: now(), sudden });
    wake();
  }

  function event(each) {
    clock.take(each.t);
    state = withEvent(state, each, geometry);
    if (previewing) return;
    stage.show(state, { time: now(), event: each, sudden: isSudden() });
    wake();
  }

  function preview(deal, { seconds = 12 } = {}) {
    previewing?.stop();
    const events = deal.events ?? deal;
    const last = events.length ? events.at(-1).t : 0;
    const speed = Math.max(1, last / seconds);
    const start = performance.now();
    let finish;
    let request = 0;
    let timer = 0;
    const done = new Promise((resolve) => (finish = resolve));
    const play = new Playback(stage, geometry);
    const step = () => {
      const time = isSudden() ? last : ((performance.now() - start) / 1000) * speed;
      play.seek(events, Math.min(time, last + 1));
      if (time < last + 1 && !isSudden()) request = requestAnimationFrame(step);
      else finish();
    };
    previewing = {
      done,
      stop() {
        cancelAnimationFrame(request);
        clearTimeout(timer);
        previewing = null;
        finish();
        stage.clear();
        stage.show(state, { time: now(), sudden: true });
        wake();
      },
    };
    step();
    return previewing;
  }

  const playback = new Playback(stage, geometry);
  return {
    element: svg,
    get state() {
      return stage.state;
    },
    update,
    event,
    preview,
    seek: (events, time) => playback.seek(events, time),
    destroy() {
      destroyed = true;
      previewing?.stop();
      cancelAnimationFrame(frame);
      resized.disconnect();
      svg.remove();
    },
  };
}

/** Shows recorded events at any time: forwards it continues, backwards it begins again. */
class Playback {
  constructor(stage, geometry) {
    this.stage = stage;
    this.geometry = geometry;
    this.events = null;
  }

  seek(events, time) {
    let applied = events !== this.events || time < this.time;
    if (applied) this.restart(events);
    while (this.next < events.length && events[this.next].t <= time) {
      const event = events[this.next];
      this.state = withEvent(this.state, event, this.geometry);
      this.stage.plan(this.state, {
        time: event.t, event, following: events, index: this.next, sudden: this.stage.isSudden(),
      });
      this.next += 1;
      applied = true;
    }
    this.time = time;
    if (applied) this.stage.redraw();
    this.stage.frame(time);
  }

  restart(events) {
    this.events = events;
    this.next = 0;
    this.time = -Infinity;
    this.state = emptyState();
    this.stage.clear();
    this.stage.plan(this.state, { time: 0, sudden: true });
  }
}
