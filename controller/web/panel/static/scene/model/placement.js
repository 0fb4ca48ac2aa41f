// Where each tile is drawn: positions in metres, level, direction and face.
import { positionOf } from "./events.js";

const GAP = 0.002;
/** Metres of a tile while the page does not have those of the game yet. */
const USUAL_TILE = { width: 0.028, length: 0.038 };
const ROWS = ["seat", "shown", "played"];

/**
 * The target of every tile of a state: `{x, y, level, turn, crossed, face, hidden}`.
 * `turn` counts quarter turns counter-clockwise, as in the geometry.
 */
export function targets(state, geometry) {
  const placed = new Map();
  const rows = new Map();
  const pool = [];
  for (const [place, tile] of state.tiles) {
    if (ROWS.includes(tile.where)) {
      const key = `${tile.where} ${tile.seat}`;
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key).push([place, tile]);
    } else if (tile.where === "pool") {
      pool.push([place, tile]);
    } else if (tile.where === "swept") {
      placed.set(place, { x: 0, y: 0, level: 0, turn: 0, crossed: false, face: "", hidden: true });
    } else {
      placed.set(place, inPlace(state, geometry, place, tile));
    }
  }
  for (const [key, row] of rows) {
    const [where, seat] = key.split(" ");
    row.sort((one, other) => one[1].order - other[1].order);
    const spots =
      where === "played"
        ? playedRows(geometry, Number(seat), row.length)
        : handRow(geometry, Number(seat), row.length, where === "shown");
    row.forEach(([place, tile], index) => placed.set(place, { ...spots[index], face: tile.face }));
  }
  const spots = poolSpots(geometry, pool.map(([place]) => place));
  for (const [place, tile] of pool) placed.set(place, { ...spots.get(place), face: tile.face });
  return placed;
}

function inPlace(state, geometry, place, tile) {
  const spot = positionOf(state, geometry, place);
  const slot = state.slots.get(place) ?? geometry.slots[place];
  const same = slot.turn % 2 === (spot.crossed ? 1 : 0);
  return {
    x: spot.x,
    y: spot.y,
    level: spot.level,
    crossed: spot.crossed,
    turn: same ? slot.turn : spot.crossed ? 1 : 0,
    face: tile.where === "up" ? tile.face || "?" : "",
    hidden: slot.lane !== null && slot.lane !== undefined,
  };
}

/** The spots of a hand of `count` tiles, centred in rows; tiles shown lie in a row before it. */
export function handRow(geometry, number, count, shown = false) {
  const seat = geometry.seats.find((each) => each.seat === number) ?? geometry.seats[0];
  const { width, length } = geometry.tile ?? USUAL_TILE;
  const pitch = Math.min(width + 0.0005, (2 * seat.half) / Math.max(1, Math.min(count, 20)));
  const perRow = Math.max(1, Math.floor((2 * seat.half + 0.0001) / pitch));
  const angle = (seat.turn * Math.PI) / 2;
  const right = { x: Math.cos(angle), y: Math.sin(angle) };
  const forward = { x: -Math.sin(angle), y: Math.cos(angle) };
  const begin = shown ? 1 : 0;
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / perRow);
    const inRow = Math.min(perRow, count - row * perRow);
    const along = ((inRow - 1) / 2 - (index % perRow)) * pitch;
    const ahead = (begin + row) * (length + GAP);
    return {
      x: seat.x + right.x * along + forward.x * ahead,
      y: seat.y + right.y * along + forward.y * ahead,
      level: 0,
      turn: seat.turn,
      crossed: seat.turn % 2 === 1,
      face: "",
      hidden: false,
    };
  });
}

/** The spots of tiles that a seat has laid in the middle: rows inside the walls, before the seat. */
export function playedRows(geometry, number, count) {
  const seat = geometry.seats.find((each) => each.seat === number) ?? geometry.seats[0];
  const { width, length } = geometry.tile ?? USUAL_TILE;
  const angle = (seat.turn * Math.PI) / 2;
  const right = { x: Math.cos(angle), y: Math.sin(angle) };
  const out = { x: Math.sin(angle), y: -Math.cos(angle) };
  const spots = [];
  let distance = geometry.field.wall_distance - length * 1.35;
  while (spots.length < count) {
    // Rows get shorter towards the middle, so that the rows of neighbours do not meet.
    const half = Math.max(width / 2, distance - length / 2 - GAP);
    const perRow = Math.max(1, Math.floor((2 * half) / width));
    const inRow = Math.min(perRow, count - spots.length);
    for (let index = 0; index < inRow; index += 1) {
      const along = (index - (perRow - 1) / 2) * width;
      spots.push({
        x: right.x * along + out.x * distance,
        y: right.y * along + out.y * distance,
        level: 0,
        turn: seat.turn,
        crossed: seat.turn % 2 === 1,
        face: "",
        hidden: false,
      });
    }
    distance = Math.max(0, distance - length - GAP);
  }
  return spots;
}

/**
 * The spots of mixed discards, by place: cells of a grid inside the walls, chosen by the place's text.
 * So neither the order of the discards nor the seats that discarded them decide where a tile lies.
 */
export function poolSpots(geometry, places) {
  const { width, length } = geometry.tile ?? USUAL_TILE;
  const half = geometry.field.wall_distance - 1.1 * length;
  const columns = Math.max(1, Math.floor((2 * half) / (1.15 * width)));
  const rows = Math.max(1, Math.floor((2 * half) / (1.1 * length)), Math.ceil(places.length / columns));
  const taken = new Set();
  const spots = new Map();
  for (const place of [...places].sort()) {
    const number = hashOf(place);
    let cell = number % (columns * rows);
    while (taken.has(cell)) cell = (cell + 1) % (columns * rows);
    taken.add(cell);
    spots.set(place, {
      x: ((cell % columns) - (columns - 1) / 2) * 1.15 * width,
      y: (Math.floor(cell / columns) - (rows - 1) / 2) * Math.min(1.1 * length, (2 * half) / rows),
      level: 0,
      turn: 2 * ((number >>> 16) % 2),
      crossed: false,
      face: "",
      hidden: false,
    });
  }
  return spots;
}

/** A number of 32 bits that depends on every character of a text (FNV-1a, mixed once more). */
function hashOf(text) {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return (hash ^ (hash >>> 13)) >>> 0;
}
