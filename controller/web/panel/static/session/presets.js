/** Games with house rules that were saved by name: choose one; a dealer saves and deletes them. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { gameTitle } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";

export function Presets({ app, choice, sent, pick }) {
  const [name, type] = useState("");
  const [run, { busy, error }] = useAction();
  const saved = Object.entries(state.presets);
  const dealer = may("dealer");
  if (!saved.length && !dealer) return null;
  const change = (work) => run(async () => {
    await work();
    await app.loadPresets();
  });
  const save = async () => {
    if (await change(() => command("save_preset", { name: name.trim(), choice: sent }))) type("");
  };
  return html`<fieldset class="presets">
    <legend>${t("presets.title")}</legend>
    ${!saved.length && html`<p class="empty">${t("presets.none")}</p>`}
    <ul class="chips">${saved.map(
      ([title, preset]) => html`<li key=${title}>
        <button type="button" onClick=${() => pick(preset)}>${title}<small>${gameTitle(state.games, preset.game)}</small></button>
        ${dealer && html`<button type="button" class="quiet icon-only" aria-label=${t("presets.delete", { name: title })}
          disabled=${busy} onClick=${() => change(() => command("delete_preset", { name: title }))}>×</button>`}
      </li>`,
    )}</ul>
    ${dealer && html`<div class="inline">
      <label class="field"><span>${t("presets.name")}</span>
        <input value=${name} maxlength="60" autocomplete="off" onInput=${(event) => type(event.target.value)} /></label>
      <button type="button" disabled=${busy || !name.trim() || !choice.game} onClick=${save}>${t("presets.save")}</button>
    </div>`}
    <${Notice} error=${error} />
  </fieldset>`;
}
