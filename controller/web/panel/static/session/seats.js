/** The seats of the session: winds, names, scores and tiles; the names can be changed. */
import { command } from "../api.js";
import { number, t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { windWords } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";

export function Seats() {
  const [editing, edit] = useState(false);
  const session = state.status?.session;
  if (!session?.seats.length) return null;
  if (editing) return html`<${NamesForm} seats=${session.seats} close=${() => edit(false)} />`;
  const act = state.status.round?.to_act ?? [];
  return html`<section class="card">
    <div class="card-head">
      <h2>${t("seats.title")}</h2>
      ${may("player") && html`<button class="quiet" onClick=${() => edit(true)}>${t("seats.rename")}</button>`}
    </div>
    <ul class="seats">
      ${session.seats.map(
        (seat) => html`<li key=${seat.seat} class=${act.includes(seat.seat) ? "acts" : ""}>
          <span class="seat-place">${seat.wind ? windWords(seat.wind) : t("seat.number", { seat: seat.seat })}</span>
          <span class="seat-name">${seat.name || t("seat.no_name")}
            ${seat.dealer && html` <small class="mark">${t("seat.dealer")}</small>`}</span>
          <span class="seat-tiles">${t("seat.tiles", { tiles: seat.tiles })}</span>
          <b class="seat-score">${number(seat.score)}</b>
        </li>`,
      )}
    </ul>
  </section>`;
}

function NamesForm({ seats, close }) {
  const [names, set] = useState(() => Object.fromEntries(seats.map((seat) => [seat.seat, seat.name])));
  const [run, { busy, error }] = useAction();
  const save = async (event) => {
    event.preventDefault();
    if (await run(() => command("name_players", { names }))) close();
  };
  return html`<form class="card" onSubmit=${save}>
    <h2>${t("seats.rename")}</h2>
    <${NameFields} seats=${seats} names=${names} set=${set} />
    <div class="actions"><button class="primary" disabled=${busy}>${t("form.save")}</button>
      <button type="button" onClick=${close}>${t("dialog.cancel")}</button></div>
    <${Notice} error=${error} />
  </form>`;
}

/** One field for the name at each seat. */
export const NameFields = ({ seats, names, set }) => html`<div class="name-fields">
  ${seats.map(
    ({ seat, wind }) => html`<label class="field" key=${seat}>
      <span>${wind ? windWords(wind) : t("seat.number", { seat })}</span>
      <input value=${names[seat] ?? ""} maxlength="40" autocomplete="off"
        onInput=${(event) => set((before) => ({ ...before, [seat]: event.target.value }))} /></label>`,
  )}
</div>`;
