// The project's own tile set, drawn by code. Faces are written as in `rules.tiles`.
import { BOX as CARD_BOX, cardFace } from "./cards.js";
import { CHINESE_BOX, DOMINO_BOX, chineseFace, dominoFace } from "./dominoes.js";
import { BOX as MAHJONG_BOX, mahjongFace } from "./mahjong.js";

const KINDS = {
  mahjong: { box: MAHJONG_BOX, draw: mahjongFace, body: "#fbf6e6", edge: "#c9bf9f" },
  dominoes: { box: DOMINO_BOX, draw: dominoFace, body: "#fbf6e6", edge: "#c9bf9f" },
  chinese_dominoes: { box: CHINESE_BOX, draw: chineseFace, body: "#20252b", edge: "#5d646d" },
  cards: { box: CARD_BOX, draw: cardFace, body: "#fdfaf0", edge: "#c9bf9f" },
};

/** The kind of set that a face belongs to by its notation: `6-4` is a domino. */
export function kindOf(face) {
  if (/^[0-6]-[0-6]$/.test(face)) return "dominoes";
  return /[shdc]$/.test(face) && !/^[1-9]s$/.test(face) ? "cards" : "mahjong";
}

/** The size of a face's box, its body colour and its edge colour. */
export function faceStyle(kind) {
  return KINDS[kind] ?? KINDS.mahjong;
}

/** The markup of a face without its body; a question mark for a face that the set does not have. */
export function faceMarkup(face, kind = kindOf(face)) {
  const { draw, box } = faceStyle(kind);
  const drawn = draw(face);
  if (drawn !== undefined) return drawn;
  return (
    `<path d="M${box.width / 2 - 4} ${box.length / 2 - 4}Q${box.width / 2 - 4} ${box.length / 2 - 9} ` +
    `${box.width / 2} ${box.length / 2 - 9}Q${box.width / 2 + 5} ${box.length / 2 - 9} ${box.width / 2 + 4} ` +
    `${box.length / 2 - 3}Q${box.width / 2} ${box.length / 2} ${box.width / 2} ${box.length / 2 + 4}" fill="none" ` +
    `stroke="#7a7f86" stroke-width="2.4" stroke-linecap="round"/>` +
    `<circle cx="${box.width / 2}" cy="${box.length / 2 + 9}" r="1.6" fill="#7a7f86"/>`
  );
}

/** A whole tile as an SVG element's text, for lists and forms; `name` is its text alternative. */
export function tileSvg(face, kind = kindOf(face), name = face) {
  const { box, body, edge } = faceStyle(kind);
  const { width, length } = box;
  return (
    `<svg class="tile-face" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${length}" role="img" ` +
    `aria-label="${escaped(name)}"><rect x="0.5" y="0.5" width="${width - 1}" height="${length - 1}" rx="3" ` +
    `fill="${body}" stroke="${edge}"/>${faceMarkup(face, kind)}</svg>`
  );
}

/** All faces of a kind, each once, in the usual order. */
export function facesOf(kind) {
  const range = (from, to) => Array.from({ length: to - from + 1 }, (_, step) => from + step);
  switch (kind) {
    case "dominoes":
      return range(0, 6).flatMap((high) => range(0, high).map((low) => `${high}-${low}`));
    case "chinese_dominoes":
      return ["6-6", "1-1", "4-4", "3-1", "5-5", "3-3", "2-2", "6-5", "6-4", "6-1", "5-1", "6-3", "5-4",
        "5-3", "6-2", "4-3", "5-2", "4-1", "3-2", "4-2", "2-1"];
    case "cards":
      return ["s", "h", "d", "c"].flatMap((suit) =>
        ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"].map((rank) => rank + suit));
    default:
      return [
        ...["m", "p", "s"].flatMap((suit) => range(1, 9).map((number) => `${number}${suit}`)),
        ...range(1, 7).map((number) => `${number}z`),
        ...range(1, 8).map((number) => `${number}f`),
      ];
  }
}

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
