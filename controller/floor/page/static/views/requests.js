/** Requests to a table: out of play after this round, back in play, the next game and house rules. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { Confirm } from "../frame/dialog.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { SchemaForm } from "../session/schema_form.js";
import { html, useState } from "../vendor/htm_preact.js";

export function Requests({ table }) {
  const [run, { busy, error, done }] = useAction();
  const [asking, ask] = useState(null);
  const play = table.state?.out_of_play ? "put_in_play" : "take_out_of_play";
  const blocked = busy || !table.connected;
  const send = () => run(() => api.requestTable(table.name, asking.name, asking.values));
  return html`<section class="card requests">
    <h2>${t("requests.title")}</h2>
    ${!table.connected && html`<p class="notice">${t("requests.not_connected")}</p>`}
    <div class="actions"><button disabled=${blocked} onClick=${() => ask({ name: play, values: {} })}>${t(`requests.${play}`)}</button></div>
    <${NextGame} present=${table.state?.game} blocked=${blocked} ask=${ask} />
    ${busy && html`<p class="hint" role="status">${t("requests.waiting")}</p>`}
    ${done && html`<${Outcome} outcome=${done} />`}
    <${Notice} error=${error} />
    ${asking && html`<${Confirm} question=${t(`requests.${asking.name}.question`, { table: table.title, game: asking.title ?? "" })}
      detail=${t("requests.detail")} action=${t("requests.send")} close=${() => ask(null)} act=${send} />`}
  </section>`;
}

/** The choice of a game and of the house rules that differ from its usual ones. */
function NextGame({ present, blocked, ask }) {
  const games = useLoaded(() => api.games());
  const [name, choose] = useState("");
  const [rules, setRules] = useState({});
  const [open, setOpen] = useState(false);
  const played = games.value?.find((each) => each.title === present);
  const chosen = games.value?.find((each) => each.name === name) ?? played ?? games.value?.[0];
  const submit = (event) => {
    event.preventDefault();
    const choice = { game: chosen.name, house_rules: rules };
    ask({ name: "choose_next", title: chosen.title, values: { choice } });
  };
  const pick = (event) => {
    choose(event.target.value);
    setRules({});
  };
  return html`<form onSubmit=${submit}>
    <div class="inline">
      <label class="field"><span>${t("requests.game")}</span>
        <select onChange=${pick}>
          ${games.value?.map((each) => html`<option value=${each.name} selected=${each === chosen}>${each.title}</option>`)}
        </select></label>
      <button disabled=${blocked || !chosen}>${t("requests.choose_next")}</button>
    </div>
    ${chosen && html`<details class="house-rules" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
      <summary>${t("requests.rules", { changed: Object.keys(rules).length })}</summary>
      ${open && html`<${SchemaForm} key=${chosen.name} schema=${chosen.house_rules} values=${rules} set=${setRules} />`}
    </details>`}
    <${Notice} error=${games.error} />
  </form>`;
}

function Outcome({ outcome }) {
  const words = outcome.accepted === null ? "no_reply" : outcome.accepted ? "accepted" : "refused";
  return html`<p class="notice ${outcome.accepted ? "done" : ""}" role="status">
    <strong>${t(`requests.${words}`)}</strong> <span lang="en">${outcome.sentence}</span></p>`;
}
