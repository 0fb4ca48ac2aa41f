// A recorded round as a film: its events with shortened pauses, its steps, and captions.
import { faceWords } from "../faces/face_words.js";
import { sayer } from "../model/messages.js";
import { placeWords } from "../model/place_words.js";
import { emptyState } from "../model/state.js";

const LONGEST_PAUSE = 4;
/** Seconds to which a longer time without events is shortened. */
const STEPS = new Set(["walls_raised", "step", "tile_turned_up", "ready", "action_taken", "settled", "fault",
  "operator_prompted", "paused", "hand_abandoned", "seats_drawn"]);

/**
 * A film of recorded events: `events` with the time `t` in the film and `table` in the record,
 * `seconds`, and `steps`, the times at which a step begins, in order.
 */
export function filmOf(recorded) {
  const events = [];
  let time = 0;
  let last = null;
  for (const event of recorded) {
    const gap = last === null ? 0 : Math.max(0, event.t - last);
    time += Math.min(gap, LONGEST_PAUSE);
    last = event.t;
    events.push({ ...event, t: time, table: event.t });
  }
  const steps = [...new Set(events.filter((event) => STEPS.has(event.event)).map((event) => event.t))];
  return { events, seconds: time + 1, steps: steps.length && steps[0] > 0 ? [0, ...steps] : steps };
}

const RESULTS = new Set(["dice_thrown", "choice_made", "delivered"]);

/**
 * The events with captions that were emitted last at a time, and the time of the table. Results that
 * come together with the next step are included; a delivery only if nothing follows it.
 */
export function shownAt(film, time) {
  let captions = [];
  let at = -1;
  let table = film.events.length ? film.events[0].table : 0;
  let before = 0;
  for (const event of film.events) {
    if (event.t > time + 1e-6) break;
    table = event.table;
    before = event.t;
    if (!STEPS.has(event.event) && !RESULTS.has(event.event)) continue;
    if (event.t > at) captions = [];
    at = event.t;
    captions.push(event);
  }
  if (captions.length > 1) captions = captions.filter((event) => event.event !== "delivered");
  return { captions, table: table + Math.min(time - before, LONGEST_PAUSE) };
}

const WORDS = {
  walls_raised: "The walls are on the table.",
  throw: "Seat {by} throws: {why}.",
  choose: "Seat {by} chooses the {what}.",
  arrange: "The pile is arranged: {verb}.",
  packet: "Seat {seat} receives {count} tiles.",
  replace: "Seat {seat} receives a tile in exchange.",
  turn_up: "Seat {turned_by} turns up a tile: {at}.",
  lot: "Seat {seat} draws a lot.",
  return_lots: "The lots go back.",
  dice_thrown: "Seat {by} has thrown {faces}.",
  choice_made: "Seat {by} has chosen: {answer}.",
  delivered: "Seat {seat} has received {count} tiles.",
  tile_turned_up: "{tile} is turned up: {at}.",
  ready: "The table is ready to play.",
  action_taken: "Seat {seat}: {do}.",
  settled: "Result: {name}.",
  hand_abandoned: "The hand was abandoned.",
  seats_drawn: "The seats were drawn.",
  fault: "Fault {code} at {part}: {evidence}",
  operator_prompted: "{request}",
  paused: "The table is paused: {why}.",
};

/**
 * The caption of an event in words; `messages` can replace the words by key, `kind` is the set of
 * faces of the game.
 */
export function captionOf(event, messages = {}, kind = "mahjong") {
  if (!event) return "";
  const key = event.event === "step" ? event.step : event.event;
  const words = messages[key] ?? WORDS[key] ?? "";
  const say = sayer(messages);
  const plain = (name) => String(name ?? "").replaceAll("_", " ");
  const values = {
    ...event,
    at: event.at ? placeWords(event.at, emptyState(), say) : "",
    what: plain(event.what),
    answer: plain(event.answer),
    verb: plain(event.verb),
    do: event.do ? actionIn(event.do, say, kind) : "",
    count: Array.isArray(event.from) ? event.from.length : "",
    faces: Array.isArray(event.dice) ? event.dice.join(", ") : "",
    tile: event.tile ? faceWords(event.tile, say, kind) : "A tile of unknown face",
  };
  return words.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** An action with its faces in words: `chow 4s 5s` is "chow 4 bamboo, 5 bamboo". */
function actionIn(action, say, kind) {
  const verbs = [];
  const faces = [];
  for (const token of action.split(" ")) {
    const face = faceWords(token.replace(/\*$/, ""), say, kind);
    if (face === token) verbs.push(token);
    else faces.push(face);
  }
  return [verbs.join(" "), faces.join(", ")].filter(Boolean).join(" ");
}
