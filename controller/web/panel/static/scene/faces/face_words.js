// The name of a face in words, for screen readers. `say(key)` returns a message of the catalogue.

const HONOURS = ["", "east", "south", "west", "north", "white", "green", "red"];
const SUITS = { m: "characters", p: "circles", s: "bamboo", f: "flowers" };
const CARD_SUITS = { s: "spades", h: "hearts", c: "clubs", d: "diamonds" };

/**
 * `2z` is "South wind", `3s` is "3 bamboo", and "3 spades" in the kind of set `cards`; a domino such as
 * `6-4` stays as it is written.
 */
export function faceWords(face, say, kind) {
  const mahjong = kind !== "cards" && /^([1-9])([mpsfz])$/.exec(face);
  const card = /^(10|[2-9JQKA])([shcd])$/.exec(face);
  if (mahjong && mahjong[2] === "z") return say(`tile.${HONOURS[mahjong[1]]}`);
  if (mahjong) return say("tile.suited", { rank: mahjong[1], suit: say(`suit.${SUITS[mahjong[2]]}`) });
  if (card) return say("tile.suited", { rank: card[1], suit: say(`suit.${CARD_SUITS[card[2]]}`) });
  return face;
}
