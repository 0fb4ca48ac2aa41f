/** Enters the face of a tile by tapping it, for tables without a reader. */
import { state } from "../data/store.js";
import { html } from "../vendor/htm_preact.js";
import { answerWords } from "./answer_words.js";
import { TilePicker, setOfGame } from "./tile_picker.js";

export function AnswerFace({ prompt, busy, answer }) {
  const game = state.status.programme?.now?.game ?? "";
  return html`<div>
    <${TilePicker} set=${setOfGame(game)} disabled=${busy} pick=${answer} />
    <div class="actions">
      ${prompt.choices.map((choice) => html`<button disabled=${busy} onClick=${() => answer(choice.value)}>${answerWords(choice)}</button>`)}
    </div>
  </div>`;
}
