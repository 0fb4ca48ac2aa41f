// Words of the picture. A page passes its own catalogue as `options.messages`.
import { faceWords } from "../faces/face_words.js";
import { placeWords, seatOf } from "./place_words.js";

export const ENGLISH = {
  seat: "Seat {seat}",
  named: "{seat}, {name}",
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
  dice: "Dice of {by}: {faces}.",
  turned: "{face} is turned up: {place}.",
  place_upper: "wall of {seat}, stack {stack} from its right end, upper tile",
  place_lower: "wall of {seat}, stack {stack} from its right end, lower tile",
  place_pile: "pile, column {stack} from its right end, tile {tile} from its top",
  place_boneyard: "boneyard, tile {tile}",
  place_cards: "cards, card {tile} from the top",
  place_hand: "hand of {seat}",
  fault: "Fault at {part}: {fault}.",
  prompt: "Prompt at {part}.",
  paused: "The table is paused.",
  idle: "idle",
  gathering: "gathering",
  shuffling: "shuffling",
  building: "building",
  staged: "staged",
  "tile.suited": "{rank} {suit}",
  "tile.east": "East wind",
  "tile.south": "South wind",
  "tile.west": "West wind",
  "tile.north": "North wind",
  "tile.white": "White dragon",
  "tile.green": "Green dragon",
  "tile.red": "Red dragon",
  "suit.characters": "characters",
  "suit.circles": "circles",
  "suit.bamboo": "bamboo",
  "suit.flowers": "flowers",
  "suit.spades": "spades",
  "suit.hearts": "hearts",
  "suit.clubs": "clubs",
  "suit.diamonds": "diamonds",
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
  if (state.fault) sentences.push(faultSentence(state.fault, say));
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
    const tiles = hands.get(seat.seat);
    if (tiles) sentences.push(say("hand", { name: seatOf(state, seat.seat, say), tiles }));
  }
  if (state.dice) sentences.push(say("dice", { by: seatOf(state, state.dice.by, say), faces: state.dice.faces.join(", ") }));
  if (state.indicatorFace) {
    const place = placeWords(state.indicator, state, say);
    sentences.push(say("turned", { place, face: faceWords(state.indicatorFace, say, geometry.tile?.faces) }));
  }
  return sentences.join(" ");
}

/** A fault by its title, or by its code in ordinary letters if the catalogue has no title. */
function faultSentence({ code, part }, say) {
  const title = say(`fault.${code}`);
  const fault = title === `fault.${code}` ? code.replaceAll("_", " ").toLowerCase() : title;
  return say("fault", { fault, part });
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
