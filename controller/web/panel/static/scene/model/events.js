// The state after an event of docs/reference/EVENTS.md. Unknown events leave the state as it is.
import { withAction } from "./actions.js";
import { slotOf } from "./state.js";

/** The state after one event; `geometry` gives the slots of the places. */
export function withEvent(state, event, geometry) {
  switch (event.event) {
    case "state":
      return withRegions(state, event, geometry);
    case "walls_raised":
      return raised(state, geometry);
    case "step":
      return withStep(state, event);
    case "move":
      return withMove(state, event, geometry);
    case "delivered":
      return changed(state, event.from, (tile, order) => ({
        ...tile,
        where: "seat",
        seat: event.seat,
        order: tile.where === "seat" && tile.seat === event.seat ? tile.order : order,
        at: null,
        carried: false,
      }), { lit: [] });
    case "dice_thrown":
      return { ...state, dice: { by: event.by, faces: event.dice, why: "" }, lit: [] };
    case "choice_made":
      return { ...state, choices: { ...state.choices, [event.what]: event.answer }, lit: [] };
    case "tile_turned_up":
      return changed(
        state,
        [event.at],
        (tile) => ({ ...tile, where: tile.where === "seat" ? "shown" : "up", face: event.tile ?? "" }),
        { indicator: event.at, indicatorFace: event.tile ?? "", lit: [] },
      );
    case "action_taken":
      return withAction(state, event);
    case "ready":
      return { ...state, lit: [], step: null, readyLamp: true };
    case "operator_prompted":
      return {
        ...state,
        prompts: [
          ...state.prompts.filter((prompt) => prompt.part !== event.part),
          { kind: "fault", code: event.code, part: event.part, text: event.request, lit: [], seats: [] },
        ],
      };
    case "prompt_answered":
    case "prompt_withdrawn":
    case "recovered":
      return { ...state, prompts: state.prompts.filter((prompt) => prompt.part !== event.part) };
    case "fault":
      return { ...state, fault: { code: event.code, part: event.part, evidence: event.evidence } };
    case "paused":
      return {
        ...state,
        pause: [...state.pause, { why: event.why, board: event.board, channel: event.channel }],
      };
    case "resumed":
      return { ...state, pause: [] };
    default:
      return state;
  }
}

/** The state with these places changed by `change(tile, order)`, and with further keys. */
function changed(state, places, change, keys = {}) {
  const tiles = new Map(state.tiles);
  let counter = state.counter;
  for (const place of places) {
    const tile = tiles.get(place);
    if (tile) tiles.set(place, change(tile, ++counter));
  }
  return { ...state, ...keys, tiles, counter };
}

function withRegions(state, event, geometry) {
  const next = { ...state, under: event.under, top: event.top };
  const both = event.under === event.top;
  if (both && ["paused", "servicing"].includes(event.top)) {
    return { ...state, mode: event.top };
  }
  next.mode = both ? event.top : "going";
  next.lidOpen = event.under === "gathering";
  next.drum = { ...state.drum, turns: ["shuffling", "building"].includes(event.under) };
  if (event.top === "raising" && !state.tiles.size) {
    Object.assign(next, { tiles: raised(state, geometry).tiles, trays: {}, heads: {} });
  }
  if (event.top === "collecting" && state.top !== "collecting") {
    next.tiles = new Map(
      [...state.tiles].map(([place, tile]) => [place, { ...tile, where: "swept", at: null }]),
    );
    next.readyLamp = false;
  }
  if (event.top === "clear" && state.top === "collecting") {
    Object.assign(next, { tiles: new Map(), slots: new Map(), dice: null, indicator: "", choices: {} });
    next.indicatorFace = "";
  }
  return next;
}

function raised(state, geometry) {
  const standing = state.tiles.size && [...state.tiles.values()].every((tile) => tile.where === "wall");
  const tiles = standing ? state.tiles : new Map();
  for (const place of standing ? [] : Object.keys(geometry.slots)) {
    tiles.set(place, { where: "wall", seat: null, face: "", order: 0, at: null, carried: false });
  }
  return {
    ...state,
    tiles,
    slots: new Map(),
    counter: 0,
    acts: 0,
    lastLaid: null,
    trays: {},
    heads: {},
    dice: null,
    indicator: "",
    indicatorFace: "",
    choices: {},
    lit: [],
  };
}

function withStep(state, event) {
  const lit = event.at ? [event.at] : Array.isArray(event.from) ? event.from : [];
  const next = { ...state, step: event, lit };
  if (event.step !== "return_lots") return next;
  // The lots go back to the slots from which they were drawn.
  return changed(next, event.to, (tile) => ({ ...tile, where: "wall", seat: null, face: "", at: null }));
}

function withMove(state, event, geometry) {
  switch (event.move) {
    case "carry":
      return carried(state, event, geometry);
    case "present":
      return presented(state, event, geometry);
    case "flip":
      return exchangedAtFlipper(state, event, geometry);
    default:
      return state;
  }
}

function carried(state, event, geometry) {
  if (event.to.seat !== undefined) {
    return changed(state, event.tiles, (tile, order) => ({
      ...tile, where: "seat", seat: event.to.seat, order, at: null, carried: true,
    }));
  }
  const landing = landingSpots(state, event, geometry);
  const tiles = new Map(state.tiles);
  for (const [place, at] of landing) {
    const tile = tiles.get(place);
    if (tile) tiles.set(place, { ...tile, at });
  }
  return { ...state, tiles };
}

/** The position of each carried tile: columns keep their order along the jaws, tiles their level. */
function landingSpots(state, event, geometry) {
  const columns = [];
  for (const place of event.tiles) {
    const spot = positionOf(state, geometry, place);
    const last = columns.at(-1);
    if (last && Math.hypot(last.x - spot.x, last.y - spot.y) < 0.001) last.places.push(place);
    else columns.push({ x: spot.x, y: spot.y, crossed: spot.crossed, places: [place] });
  }
  const crossed = event.to.crossed ?? false;
  const along = (column) => (column.crossed ? column.y : column.x);
  const ordered = [...columns].sort((one, other) => along(one) - along(other));
  const pitch = geometry.tile.width;
  const spots = new Map();
  ordered.forEach((column, index) => {
    const shift = (index - (ordered.length - 1) / 2) * pitch;
    const x = event.to.x + (crossed ? 0 : shift);
    const y = event.to.y + (crossed ? shift : 0);
    // Tiles are listed from the top of each column.
    [...column.places].reverse().forEach((place, step) => {
      spots.set(place, { x, y, level: event.to.level + step, crossed });
    });
  });
  return spots;
}

/** The position of a tile on the field, from its last carry or from its slot. */
export function positionOf(state, geometry, place) {
  const tile = state.tiles.get(place);
  if (tile && tile.at) return tile.at;
  const slot = slotOf(state, geometry, place);
  return { x: slot.x, y: slot.y, level: slot.level, crossed: slot.turn % 2 === 1 };
}

/** A hand lane rises: its tiles are at the seat. Tiles of a forecast exchange their slots. */
function presented(state, event, geometry) {
  const slots = new Map(state.slots);
  const slot = (place) => slots.get(place) ?? geometry.slots[place];
  const wanted = new Set(event.tiles);
  const spare = Object.keys(geometry.slots).filter(
    (place) => slot(place).lane === event.seat && !wanted.has(place),
  );
  for (const place of event.tiles) {
    if (slot(place) && slot(place).lane !== event.seat && spare.length) {
      exchange(slots, slot, place, spare.pop());
    }
  }
  return changed({ ...state, slots }, event.tiles, (tile, order) => ({
    ...tile, where: "seat", seat: event.seat, order, at: null, carried: true,
  }));
}

/** The flipper turns the tile at its own column: that tile gets the flipper's slot. */
function exchangedAtFlipper(state, event, geometry) {
  const flipper = geometry.flipper;
  const [place] = event.tiles;
  if (!flipper) return state;
  const slots = new Map(state.slots);
  const slot = (each) => slots.get(each) ?? geometry.slots[each];
  const there = Object.keys(geometry.slots)
    .filter((each) => slot(each).lane === null)
    .filter((each) => Math.hypot(slot(each).x - flipper.x, slot(each).y - flipper.y) < 0.001)
    .sort((one, other) => slot(other).level - slot(one).level)[0];
  if (there === undefined || there === place) return state;
  exchange(slots, slot, place, there);
  return { ...state, slots };
}

function exchange(slots, slot, one, other) {
  const kept = slot(one);
  slots.set(one, slot(other));
  slots.set(other, kept);
}
