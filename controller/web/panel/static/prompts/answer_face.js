/** Enters the face of a tile by tapping it, for tables without a reader. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { html } from "../vendor/htm_preact.js";
import { answerWords } from "./answer_words.js";
import { Tile } from "./tile.js";
import { KINDS, TilePicker, setOfGame, tileWords } from "./tile_picker.js";

export function AnswerFace({ prompt, busy, answer }) {
  const game = state.status?.programme?.now?.game ?? "";
  return html`<div>
    ${prompt.default && html`<p class="simulated-tile">${t("face.simulated")} <span class="tile-shown"><${Tile} face=${prompt.default} kind=${KINDS[setOfGame(game)]} name=${tileWords(prompt.default)} /></span></p>`}
    <${TilePicker} set=${setOfGame(game)} disabled=${busy} pick=${answer} />
    <div class="actions">
      ${prompt.choices.map((choice) => html`<button disabled=${busy} onClick=${() => answer(choice.value)}>${answerWords(choice)}</button>`)}
    </div>
  </div>`;
}
