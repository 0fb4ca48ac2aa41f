/** Actions of players in the present language: `discard 3s` is "Discard · 3 bamboo". */
import { plainWords, tOr } from "../data/messages.js";
import { html } from "../vendor/htm_preact.js";
import { Tile } from "./tile.js";
import { tileWords } from "./tile_picker.js";

/** A face in an action; a star marks a joker that stands for the face. */
const FACE = /^((?:[1-9][mpsfz])|(?:[0-6]-[0-6])|(?:(?:10|[2-9JQKA])[shcd]))(\*?)$/;

/** The verb of an action, such as `false win`, in the present language. */
export const verbWords = (verb) => tOr(`verb.${verb}`, plainWords(verb));

/** The parts of an action: `{ words }` and `{ face, joker }`, in their order. */
function partsOf(action) {
  const parts = [];
  for (const token of action.split(" ")) {
    const [, face, star] = FACE.exec(token) ?? [];
    const last = parts.at(-1);
    if (face) parts.push({ face, joker: star });
    else if (last?.words) last.words += ` ${token}`;
    else parts.push({ words: token });
  }
  if (parts[0]?.words) parts[0].words = verbWords(parts[0].words);
  return parts;
}

/** An action as a sentence, for a list, a button or a screen reader. */
export function actionWords(action) {
  const [first, ...others] = partsOf(action).map((part) => part.words ?? tileWords(part.face) + part.joker);
  return others.length ? `${first} · ${others.join(", ")}` : first;
}

/** An action with its tiles drawn; `kind` is the set of faces of the game. */
export const ActionLabel = ({ action, kind }) => html`<span class="action-label">${partsOf(action).map((part) =>
  part.words ? html`<span>${part.words}</span>` : html`<${Tile} face=${part.face} kind=${kind} name=${tileWords(part.face)} />${part.joker}`,
)}</span>`;
