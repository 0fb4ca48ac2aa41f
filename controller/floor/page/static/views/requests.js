/** Requests to a table: out of play after this round, back in play, the next game. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Confirm } from "../frame/dialog.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";

export function Requests({ table }) {
  const [run, { busy, error, done }] = useAction();
  const [asking, ask] = useState(null);
  const games = useLoaded(() => api.games());
  const [game, choose] = useState("");
  const isOut = table.state?.out_of_play ?? false;
  const send = (name, values = {}) => run(() => api.requestTable(table.name, name, values));
  const play = isOut ? "put_in_play" : "take_out_of_play";
  const chosen = games.value?.find((each) => each.name === game) ?? games.value?.[0];
  return html`<section class="card requests">
    <h2>${t("requests.title")}</h2>
    ${!table.connected && html`<p class="notice">${t("requests.not_connected")}</p>`}
    <div class="actions"><button disabled=${busy || !table.connected} onClick=${() => ask({ name: play, values: {} })}>${t(`requests.${play}`)}</button></div>
    <form class="inline" onSubmit=${(event) => {
      event.preventDefault();
      ask({ name: "choose_next", values: { choice: { game: chosen.name } } });
    }}>
      <label class="field"><span>${t("requests.game")}</span>
        <select onChange=${(event) => choose(event.target.value)}>
          ${games.value?.map((each) => html`<option value=${each.name}>${each.title}</option>`)}
        </select></label>
      <button disabled=${busy || !table.connected || !chosen}>${t("requests.choose_next")}</button>
    </form>
    ${busy && html`<p class="hint" role="status">${t("requests.waiting")}</p>`}
    ${done && html`<${Outcome} outcome=${done} />`}
    <${Notice} error=${error ?? games.error} />
    ${asking && html`<${Confirm} question=${t(`requests.${asking.name}.question`, { table: table.title, game: chosen?.title ?? "" })}
      detail=${t("requests.detail")} action=${t("requests.send")} close=${() => ask(null)} act=${() => send(asking.name, asking.values)} />`}
  </section>`;
}

function Outcome({ outcome }) {
  const words = outcome.accepted === null ? "no_reply" : outcome.accepted ? "accepted" : "refused";
  return html`<p class="notice ${outcome.accepted ? "done" : ""}" role="status">
    <strong>${t(`requests.${words}`)}</strong> <span lang="en">${outcome.sentence}</span></p>`;
}
