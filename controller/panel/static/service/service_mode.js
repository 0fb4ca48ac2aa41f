/** Service mode: sensors and motors live, jogging by a held button, tests and calibrations. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { Confirm } from "../frame/dialog.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Channels } from "./channels.js";
import { ModeWork } from "./mode_work.js";

export function ServiceMode() {
  const [run, { busy, error, done }] = useAction();
  const [asking, ask] = useState(false);
  const mode = state.status.service_mode;
  const give = (name, values) => run(() => command(name, values));
  if (!mode) {
    return html`<section class="card" id="service-mode">
      <h2>${t("service.title")}</h2>
      <p class="hint">${t("service.what")}</p>
      <div class="actions"><button class="primary" disabled=${busy} onClick=${() => ask(true)}>${t("service.enter")}</button></div>
      <${Notice} error=${error} />
      ${asking && html`<${Confirm} question=${t("service.question")} detail=${t("service.detail")} action=${t("service.enter")}
        close=${() => ask(false)} act=${() => give("enter_service_mode")} />`}
    </section>`;
  }
  return html`<div id="service-mode" class="service-mode">
    <section class="card mode-head">
      <div><h2>${t("service.title")}</h2><p class="hint">${t("service.by", { name: mode.name })}</p></div>
      <div class="actions">
        <button class="stop" onClick=${() => give("stop_activity")}>${t("service.stop")}</button>
        <button disabled=${busy} onClick=${() => give("home", { channel: "" })}>${t("service.home_all")}</button>
        <button class="primary" disabled=${busy} onClick=${() => give("leave_service_mode")}>${t("service.leave")}</button>
      </div>
      <${Notice} error=${error} />
      ${done?.sentence && html`<p class="notice done" role="status" lang="en">${done.sentence}</p>`}
      <${Warnings} mode=${mode} give=${give} />
    </section>
    <${ModeWork} mode=${mode} give=${give} busy=${busy} />
    <${Channels} mode=${mode} give=${give} />
  </div>`;
}

/** Latched faults, moved parts, and trends that announce a failure. */
function Warnings({ mode, give }) {
  return html`${mode.latched.length > 0 &&
    html`<div class="notice fault" role="alert"><strong>${t("service.latched")}</strong> <span lang="en">${mode.latched.join(", ")}</span>
      <div class="actions"><button onClick=${() => give("clear_board_faults")}>${t("service.clear")}</button></div></div>`}
    ${mode.tiles_may_have_moved && html`<p class="notice">${t("service.tiles_moved")}</p>`}
    ${mode.moved.length > 0 && html`<p class="hint">${t("service.moved", { parts: mode.moved.join(", ") })}</p>`}
    ${mode.warnings.map((warning) => html`<p class="notice" lang="en">${warning}</p>`)}`;
}
