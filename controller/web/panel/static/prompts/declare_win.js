/** Declares a win or a false win: a seat, and the tiles of its hand that the table has not seen. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { seatWords } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { verbWords } from "./action_words.js";
import { Tile } from "./tile.js";
import { KINDS, TilePicker, setOfGame, tileWords } from "./tile_picker.js";

/** `answer` receives the action with its seat, such as `2 win 1m 1m`. */
export function DeclareWin({ prompt, busy, answer }) {
  const [open, setOpen] = useState(false);
  const [seat, setSeat] = useState(prompt.seats[0] ?? 0);
  const [shown, show] = useState([]);
  const set = setOfGame(state.status?.programme?.now?.game ?? "");
  const seats = state.status?.session?.seats ?? [];
  return html`<details class="folded declare" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${t("declare.title")}</summary>
    ${open && html`<div>
      <fieldset class="segments"><legend>${t("declare.seat")}</legend>
        ${seats.map(
          (each) => html`<label key=${each.seat}><input type="radio" name=${`declare-${prompt.id}`} checked=${each.seat === seat}
            onChange=${() => setSeat(each.seat)} /><span>${seatWords(state.status, each.seat)}</span></label>`,
        )}</fieldset>
      <p class="hint">${t("declare.tiles")}</p>
      <div class="rack-tiles" role="group" aria-label=${t("declare.shown", { tiles: shown.length })}>${shown.map(
        (face, index) => html`<button type="button" class="tile-key" aria-label=${t("judge.remove", { tile: tileWords(face) })}
          onClick=${() => show((before) => before.filter((_, at) => at !== index))}><${Tile} face=${face} kind=${KINDS[set]} /></button>`,
      )}</div>
      <${TilePicker} set=${set} disabled=${busy} pick=${(face) => show((before) => [...before, face])} />
      <div class="actions">${prompt.declarations.map(
        (verb) => html`<button type="button" class=${verb === "win" ? "primary" : ""} disabled=${busy}
          onClick=${() => answer([seat, verb, ...(verb === "win" ? shown : [])].join(" "))}>${verbWords(verb)}
          ${verb === "win" && shown.length > 0 && html`<span class="chosen">${t("declare.shown", { tiles: shown.length })}</span>`}</button>`,
      )}</div>
    </div>`}
  </details>`;
}
