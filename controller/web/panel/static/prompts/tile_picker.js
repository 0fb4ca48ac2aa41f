/** Picks tiles by tapping their faces, in rows by suit. */
import { t, tOr } from "../data/messages.js";
import { state } from "../data/store.js";
import { moveInGrid } from "../frame/arrow_keys.js";
import { faceWords } from "../scene/faces/face_words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Tile } from "./tile.js";

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const suit = (letter, last) => range(1, last).map((rank) => `${rank}${letter}`);
const MAHJONG = [
  ["characters", suit("m", 9)],
  ["circles", suit("p", 9)],
  ["bamboo", suit("s", 9)],
  ["honours", suit("z", 7)],
];
const DOMINOES = range(0, 6).map((high) => [
  "",
  range(0, 6 - high).map((low) => `${6 - high}-${low}`),
]);
/** The 21 kinds of Chinese dominoes: every pair of pips from 1 to 6. */
const CHINESE = range(1, 6).map((step) => ["", range(1, 7 - step).map((low) => `${7 - step}-${low}`)]);
const CARDS = ["s", "h", "c", "d"].map((letter) => [
  { s: "spades", h: "hearts", c: "clubs", d: "diamonds" }[letter],
  [...range(3, 10).map(String), "J", "Q", "K", "A", "2"].map((rank) => rank + letter),
]);
const SETS = {
  mahjong: MAHJONG,
  flowers: [...MAHJONG, ["flowers", suit("f", 8)]],
  dominoes: DOMINOES,
  pai_gow: CHINESE,
  cards: CARDS,
};
/** The kind of drawn faces of each set. */
export const KINDS = { mahjong: "mahjong", flowers: "mahjong", dominoes: "dominoes", pai_gow: "chinese_dominoes", cards: "cards" };
const SET_OF_GAME = { wenzhou: "mahjong", filipino: "flowers", pai_gow: "pai_gow", da_san: "cards" };

/** The name of the set of faces with which a game is played. */
export const setOfGame = (game) => SET_OF_GAME[game] ?? "dominoes";

/** `pick(face)` is called for each tap; `left(face)` says how many of it may still be picked. */
export function TilePicker({ set, faces, disabled, pick, left = () => 9 }) {
  const rows = faces ? [["", faces]] : SETS[set];
  const all = rows.flatMap(([, row]) => row);
  const [present, reach] = useState(all[0]);
  // One stop of the Tab key for all tiles; the arrow keys move between them.
  const stop = all.includes(present) ? present : all[0];
  return html`<div class="tile-picker ${set}" role="group" aria-label=${t("tiles.pick")} onKeyDown=${(event) => moveInGrid(event, ".tile-key")}>
    ${rows.map(
      ([name, row]) => html`<div class="tile-row" role="group" aria-label=${name ? tOr(`suit.${name}`, name) : null}>
        ${row.map(
          (face) => html`<button type="button" key=${face} class="tile-key" disabled=${disabled || left(face) <= 0}
            tabindex=${face === stop ? 0 : -1} onFocus=${() => reach(face)} aria-label=${tileWords(face, KINDS[set])} onClick=${() => pick(face)}><${Tile} face=${face} kind=${KINDS[set]} /></button>`,
        )}
      </div>`,
    )}
  </div>`;
}

/** The name of a face in words, for screen readers; `kind` is that of the present game if it is left out. */
export const tileWords = (face, kind = KINDS[setOfGame(state.status?.programme?.now?.game ?? "")]) => faceWords(face, t, kind);
