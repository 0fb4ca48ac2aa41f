/** Paired devices and API tokens: make a pairing code or a token, revoke one. */
import { api } from "../api.js";
import { dateTime, t } from "../data/messages.js";
import { Confirm } from "../frame/dialog.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Empty, Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";
import { RoleSelect } from "./users.js";

const DEVICE_ROLES = ["player", "dealer", "attendant", "auditor"];
const TOKEN_ROLES = ["player", "dealer", "attendant", "technician", "auditor", "metrics"];
const dated = (seconds) => dateTime(new Date(seconds * 1000).toISOString());

export function Devices() {
  const loaded = useLoaded(() => api.keys());
  const [run, { error }] = useAction();
  const [revoking, ask] = useState(null);
  const revoke = () => run(async () => {
    await api.revokeKey(revoking.id);
    await loaded.reload();
  });
  return html`<div class="columns">
    <section class="card">
      <h2>${t("devices.title")}</h2>
      <${Notice} error=${loaded.error ?? error} />
      ${loaded.value?.length === 0 && html`<${Empty}>${t("devices.none")}<//>`}
      <ul class="rows">${loaded.value?.map(
        (key) => html`<li key=${key.id}>
          <span><b>${key.name}</b> <small>${t(`devices.kind.${key.kind}`)} · ${t(`role.${key.role}`)} · ${dated(key.created)}</small></span>
          <button class="small" onClick=${() => ask(key)} aria-label=${t("devices.revoke_one", { name: key.name })}>${t("devices.revoke")}</button>
        </li>`,
      )}</ul>
    </section>
    <${NewKey} title=${t("devices.pair")} roles=${DEVICE_ROLES} go=${t("devices.new_code")}
      make=${async (name, role) => (await api.addPairingCode(name, role)).code} shown=${t("devices.code_shown")} />
    <${NewKey} title=${t("devices.token")} roles=${TOKEN_ROLES} go=${t("devices.new_token")}
      make=${async (name, role) => {
        const { token } = await api.addToken(name, role, null);
        await loaded.reload();
        return token;
      }} shown=${t("devices.token_shown")} />
    ${revoking && html`<${Confirm} question=${t("devices.revoke_question", { name: revoking.name })} action=${t("devices.revoke")}
      close=${() => ask(null)} act=${revoke} />`}
  </div>`;
}

/** Makes a pairing code or a token and shows it once. */
function NewKey({ title, roles, go, make, shown }) {
  const [role, setRole] = useState(roles[0]);
  const [run, { busy, error, done }] = useAction();
  const submit = (event) => {
    event.preventDefault();
    const { device } = event.target.elements;
    run(() => make(device.value.trim(), role));
  };
  return html`<form class="card" onSubmit=${submit}>
    <h2>${title}</h2>
    <label class="field"><span>${t("devices.name")}</span><input name="device" required maxlength="40" autocomplete="off" /></label>
    <${RoleSelect} label=${t("users.role")} roles=${roles} value=${role} set=${setRole} />
    <div class="actions"><button class="primary" disabled=${busy}>${go}</button></div>
    <${Notice} error=${error} />
    ${typeof done === "string" && html`<p class="notice done" role="status">${shown} <code class="secret">${done}</code></p>`}
  </form>`;
}
