// Words of the picture. A page passes its own catalogue as `options.messages`.

export const ENGLISH = {
  seat: "Seat {seat}",
  tiles: "{tiles} tiles",
  indicator: "indicator",
  pile: "the pile from the front",
  East: "East",
  South: "South",
  West: "West",
  North: "North",
  picture: "Picture of the table {title}.",
  game: "Game: {game}.",
  below: "Below the table: {under}, {tiles} tiles in the drum.",
  wall: "{tiles} tiles are in the wall.",
  hand: "{name}: {tiles} tiles.",
  dice: "Dice of seat {by}: {faces}.",
  turned: "Turned up at {place}: {face}.",
  fault: "Fault {code} at {part}.",
  prompt: "Prompt at {part}.",
  paused: "The table is paused.",
  idle: "idle",
  gathering: "gathering",
  shuffling: "shuffling",
  building: "building",
  staged: "staged",
};

/** A function that returns a message with its values filled in. */
export function sayer(messages = {}) {
  const known = { ...ENGLISH, ...messages };
  return (key, values = {}) =>
    (known[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The text alternative of the picture: the state of the table in sentences. */
export function describe(state, geometry, say) {
  const sentences = [say("picture", { title: geometry.title })];
  if (geometry.game_title) sentences.push(say("game", { game: geometry.game_title }));
  if (state.pause.length || state.mode === "paused") sentences.push(say("paused"));
  if (state.fault) sentences.push(say("fault", state.fault));
  for (const prompt of state.prompts) {
    if (prompt.part) sentences.push(say("prompt", prompt));
  }
  if (["gathering", "shuffling", "building", "staged"].includes(state.under)) {
    sentences.push(say("below", { under: say(state.under), tiles: state.drum.tiles }));
  }
  const hands = handCounts(state);
  const wall = [...state.tiles.values()].filter((tile) => tile.where === "wall" || tile.where === "up");
  if (state.tiles.size) sentences.push(say("wall", { tiles: wall.length }));
  for (const seat of geometry.seats) {
    const known = state.seats.get(seat.seat);
    const name = (known && known.name) || say("seat", { seat: seat.seat });
    const tiles = hands.get(seat.seat);
    if (tiles) sentences.push(say("hand", { name, tiles }));
  }
  if (state.dice) sentences.push(say("dice", { by: state.dice.by, faces: state.dice.faces.join(", ") }));
  if (state.indicatorFace) {
    sentences.push(say("turned", { place: state.indicator, face: state.indicatorFace }));
  }
  return sentences.join(" ");
}

/** The number of tiles at each seat. */
export function handCounts(state) {
  const counts = new Map();
  for (const tile of state.tiles.values()) {
    if (tile.where === "seat" || tile.where === "shown") {
      counts.set(tile.seat, (counts.get(tile.seat) ?? 0) + 1);
    }
  }
  return counts;
}
