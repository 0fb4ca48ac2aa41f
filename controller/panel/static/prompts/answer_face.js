/** Enters the face of a tile by tapping it, for tables without a reader. */
import { html } from "../vendor/htm_preact.js";
import { state } from "../data/store.js";
import { TilePicker, setOfGame } from "./tile_picker.js";

export function AnswerFace({ prompt, busy, answer }) {
  const faces = prompt.choices.length ? prompt.choices.map((choice) => choice.value) : null;
  const game = state.status.session?.game ?? "";
  return html`<${TilePicker} set=${setOfGame(game)} faces=${faces} disabled=${busy} pick=${answer} />`;
}
