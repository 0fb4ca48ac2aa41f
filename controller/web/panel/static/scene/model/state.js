// What lies where: a value that statuses and events change, without any drawing.
import { showsOpenTiles, withOpenTiles } from "./open_tiles.js";

/**
 * The state of an empty table. `tiles` has one entry for each place of the set on top:
 * `where` is "wall", "seat", "up" (face up in its place), "shown" (face up before a seat), "played"
 * (laid in the middle by a seat), "pool" (in the middle, where discards lie mixed) or "swept"; `acted` is set if an action of a player showed the tile;
 * `at` is a position on the field that a carry gave it, instead of its slot.
 */
export function emptyState() {
  return {
    tiles: new Map(),
    slots: new Map(),
    under: "offline",
    top: "offline",
    mode: "going",
    dice: null,
    indicator: "",
    indicatorFace: "",
    drum: { tiles: 0, turns: false },
    lidOpen: false,
    trays: {},
    heads: {},
    readyLamp: false,
    lit: [],
    step: null,
    choices: {},
    prompts: [],
    fault: null,
    pause: [],
    seats: new Map(),
    counter: 0,
    acts: 0,
    lastLaid: null,
  };
}

/** The slot of a place: the geometry's, unless tiles of a hand lane were exchanged. */
export function slotOf(state, geometry, place) {
  return state.slots.get(place) ?? geometry.slots[place];
}

/** The state after a status of the service (controller/service/status/). */
export function withStatus(state, status, geometry) {
  const scene = status.scene;
  const round = status.round;
  const next = {
    ...state,
    under: status.machine.under,
    top: status.machine.top,
    mode: status.machine.mode,
    drum: { tiles: scene.drum, turns: scene.drum_turns },
    lidOpen: scene.lid_open,
    trays: scene.trays,
    heads: scene.heads,
    readyLamp: scene.ready_lamp,
    prompts: status.prompts,
    fault: status.fault,
    pause: status.pause,
    choices: round ? round.choices : {},
    indicator: round ? round.indicator : "",
    indicatorFace: round ? round.indicator_face : "",
    dice: round && round.throw ? diceOf(state, round.throw) : null,
    lit: status.prompts.flatMap((prompt) => prompt.lit),
    seats: seatsOf(status),
  };
  // Rising walls have no places until their lifts are confirmed; events show them before.
  const rising = next.top === "raising" && !Object.keys(scene.places).length;
  // After a correction by a dealer, the tiles of actions that were taken back are in the hands again.
  const corrected = Boolean(round) && round.acts < state.acts;
  if (corrected) Object.assign(next, { acts: round.acts, lastLaid: null });
  next.tiles = rising ? state.tiles : tilesOf(state, scene.places, geometry, corrected);
  const open = next.top === "playing" ? round?.open_tiles : null;
  const differs = Boolean(open) && !showsOpenTiles(next.tiles, open);
  if (differs) Object.assign(next, { acts: round.acts, tiles: tilesOf(state, scene.places, geometry, true) });
  if (next.top === "collecting") {
    for (const [place, tile] of next.tiles) next.tiles.set(place, { ...tile, where: "swept", at: null });
  }
  if (!next.tiles.size) next.slots = new Map();
  next.counter = Math.max(next.counter, ...[...next.tiles.values()].map((tile) => tile.order), 0);
  return differs ? withOpenTiles(next, open, state.tiles) : next;
}

function diceOf(state, thrown) {
  const same =
    state.dice && state.dice.by === thrown.by && state.dice.faces.join() === thrown.dice.join();
  return same ? state.dice : { by: thrown.by, faces: thrown.dice, why: thrown.why };
}

function seatsOf(status) {
  const seats = new Map();
  for (const seat of status.session ? status.session.seats : []) seats.set(seat.seat, seat);
  return seats;
}

function tilesOf(state, places, geometry, corrected) {
  const tiles = new Map();
  let order = state.counter;
  for (const [place, value] of Object.entries(places)) {
    if (!(place in geometry.slots)) continue;
    const before = state.tiles.get(place);
    const tile = tileOf(value);
    const isAhead = before && before.carried && tile.where === "wall";
    const isPlayed = before && before.acted && tile.where === "seat" && !corrected;
    if (isAhead || isPlayed) {
      // The machine carries this tile, and the status follows when the delivery is confirmed; or a
      // player has shown it, which the places of the status do not contain.
      tiles.set(place, before);
      continue;
    }
    const kept = before && before.where === tile.where && before.seat === tile.seat;
    tile.order = kept ? before.order : ++order;
    tile.at = before && tile.where !== "seat" && tile.where !== "shown" ? before.at : null;
    tile.carried = false;
    tiles.set(place, tile);
  }
  return tiles;
}

/** A tile from a status value: `wall`, `pool`, `seat 2`, `up 5m` or `up 2 5f`. */
function tileOf(value) {
  const words = value.split(" ");
  if (words[0] === "pool") return { where: "pool", seat: null, face: "" };
  if (words[0] === "seat") return { where: "seat", seat: Number(words[1]), face: "" };
  if (words[0] === "up" && words.length === 3) {
    return { where: "shown", seat: Number(words[1]), face: words[2] };
  }
  if (words[0] === "up") return { where: "up", seat: null, face: words[1] ?? "" };
  return { where: "wall", seat: null, face: "" };
}
