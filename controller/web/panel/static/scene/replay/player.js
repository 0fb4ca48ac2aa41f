// Plays a recorded round on the picture: play, pause, speed, steps, a slider, and the keyboard.
import { mountTable } from "../table_scene.js";
import { captionOf, filmOf, shownAt } from "./film.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
/** Seconds that one frame of a replay takes at most. */
const LONGEST_FRAME = 0.25;
const LABELS = {
  play: "Play",
  pause: "Pause",
  back: "Previous step",
  forward: "Next step",
  speed: "Speed",
  time: "Time in the round",
  at: "{seconds} s at the table",
  keys: "Space: play or pause. Left and right arrow: step. Home and End: begin and end.",
};

/**
 * Mounts the picture with the controls of a replay into `container`; returns `{seek, play, pause,
 * step, destroy, film, time, scene}`. `events` are those of one round. Options are those of
 * `mountTable`, with `labels` (words of the controls) and `speed` (seconds of the round a second).
 */
export function mountReplay(container, geometry, events, options = {}) {
  const labels = { ...LABELS, ...options.labels };
  const film = filmOf(events);
  const root = made("section", "scene-replay", container);
  root.tabIndex = -1;
  const picture = made("div", "scene-replay-picture", root);
  const scene = mountTable(picture, geometry, options);
  const caption = made("p", "scene-replay-caption", root);
  caption.setAttribute("aria-live", "polite");
  const controls = made("div", "scene-replay-controls", root);
  const back = button(controls, "⏮", labels.back, () => step(-1));
  const toggle = button(controls, "▶", labels.play, () => (playing ? pause() : play()));
  const forward = button(controls, "⏭", labels.forward, () => step(1));
  const slider = made("input", "scene-replay-slider", controls);
  Object.assign(slider, { type: "range", min: 0, max: film.seconds.toFixed(2), step: 0.05, value: 0 });
  slider.setAttribute("aria-label", labels.time);
  const select = made("select", "scene-replay-speed", controls);
  select.setAttribute("aria-label", labels.speed);
  for (const speed of SPEEDS) {
    const option = made("option", "", select);
    option.value = String(speed);
    option.textContent = `${speed}×`;
  }
  const clock = made("output", "scene-replay-clock", controls);
  root.title = labels.keys;

  let time = 0;
  let playing = false;
  let request = 0;
  let last = 0;
  let speed = options.speed ?? 2;
  select.value = String(speed);

  function seek(to) {
    time = Math.max(0, Math.min(film.seconds, to));
    scene.seek(film.events, time);
    const shown = shownAt(film, time);
    const words = shown.captions.map((event) => captionOf(event, options.captions, geometry.tile?.faces)).join(" ");
    if (caption.textContent !== words) caption.textContent = words;
    slider.value = String(time);
    const at = labels.at.replace("{seconds}", shown.table.toFixed(1));
    slider.setAttribute("aria-valuetext", `${at}. ${words}`);
    clock.textContent = at;
  }

  function run(now) {
    if (!playing) return;
    // A hidden page draws no frames: the replay continues where it was.
    seek(time + Math.min((now - last) / 1000, LONGEST_FRAME) * speed);
    last = now;
    if (time >= film.seconds) pause();
    else request = requestAnimationFrame(run);
  }

  function show() {
    toggle.textContent = playing ? "⏸" : "▶";
    toggle.setAttribute("aria-label", playing ? labels.pause : labels.play);
  }

  function play() {
    if (time >= film.seconds) seek(0);
    playing = true;
    last = performance.now();
    show();
    request = requestAnimationFrame(run);
  }

  function pause() {
    playing = false;
    cancelAnimationFrame(request);
    show();
  }

  /** Jumps to the end of the next or the previous step of the round. */
  function step(way) {
    pause();
    const steps = [...film.steps, film.seconds];
    const next = way > 0
      ? steps.find((each) => each > time + 0.01) ?? film.seconds
      : steps.filter((each) => each < time - 0.01).at(-1) ?? 0;
    seek(next);
  }

  function pressed(event) {
    if (event.target === select) return;
    const onSlider = event.target === slider;
    const actions = {
      " ": () => (playing ? pause() : play()),
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => seek(0),
      End: () => seek(film.seconds),
    };
    const action = actions[event.key];
    if (!action || (event.key === " " && event.target.tagName === "BUTTON")) return;
    if (onSlider && event.key !== " ") return;
    event.preventDefault();
    action();
  }

  slider.addEventListener("input", () => {
    pause();
    seek(Number(slider.value));
  });
  select.addEventListener("change", () => (speed = Number(select.value)));
  root.addEventListener("keydown", pressed);
  show();
  seek(0);
  return {
    seek,
    play,
    pause,
    step,
    film,
    scene,
    get time() {
      return time;
    },
    get playing() {
      return playing;
    },
    buttons: { back, toggle, forward },
    destroy() {
      pause();
      scene.destroy();
      root.remove();
    },
  };
}

function made(name, className, parent) {
  const element = document.createElement(name);
  if (className) element.className = className;
  parent.appendChild(element);
  return element;
}

function button(parent, sign, label, act) {
  const element = made("button", "scene-replay-button", parent);
  element.type = "button";
  element.textContent = sign;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", act);
  return element;
}
