/** Service mode: sensors and motors live, jogging by a held button, tests and calibrations. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { draft, setDraft, state } from "../data/store.js";
import { Confirm } from "../frame/dialog.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { Tabs } from "../frame/tabs.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Channels } from "./channels.js";
import { Calibrations, Counters, Findings, Present, StationTests } from "./mode_work.js";

export function ServiceMode() {
  const [run, { busy, error, done }] = useAction();
  const [asking, ask] = useState(false);
  const mode = state.status?.service_mode;
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
  const part = draft("tab.service_mode", "channels");
  const Part = PARTS[part] ?? Channels;
  return html`<div id="service-mode" class="service-mode">
    <${StopBar} mode=${mode} give=${give} />
    <section class="card mode-head">
      <div class="card-head"><div><h2>${t("service.title")}</h2><p class="hint">${t("service.by", { name: mode.name })}</p></div>
      <div class="actions">
        <button disabled=${busy} onClick=${() => give("home", { channel: "" })}>${t("service.home_all")}</button>
        <button class="primary" disabled=${busy} onClick=${() => give("leave_service_mode")}>${t("service.leave")}</button>
      </div></div>
      <${Notice} error=${error} />
      ${done?.sentence && html`<p class="notice done" role="status" lang="en">${done.sentence}</p>`}
      <${Warnings} mode=${mode} give=${give} />
    </section>
    <${Present} mode=${mode} give=${give} busy=${busy} />
    <${Tabs} id="mode" names=${Object.keys(PARTS)} present=${part} label=${t("service.title")} pick=${(name) => setDraft("tab.service_mode", name)}>
      <${Part} mode=${mode} give=${give} busy=${busy} />
    <//>
    <${Moved} mode=${mode} />
    <${Findings} findings=${mode.findings} />
  </div>`;
}

/**
 * The parts that have moved. They stand below the sensors and motors: a line that appeared above
 * them would move a button away from the finger that holds it, and so end the motion.
 */
function Moved({ mode }) {
  if (!mode.moved.length && !mode.tiles_may_have_moved) return null;
  return html`<section class="card">
    ${mode.moved.length > 0 && html`<p>${t("service.moved", { parts: mode.moved.join(", ") })}</p>`}
    ${mode.tiles_may_have_moved && html`<p class="notice">${t("service.tiles_moved")}</p>`}
  </section>`;
}

/** What a technician does in service mode: the sensors and motors come first. */
const PARTS = { channels: Channels, tests: StationTests, calibrations: Calibrations, counters: Counters };

/** Stops every motion; it stays in sight, and names the channel that moves. */
function StopBar({ mode, give }) {
  const { jog } = mode;
  return html`<div class="stop-bar">
    <button class="stop large" onClick=${() => give("stop_activity")}>${t("service.stop")}</button>
    ${jog && html`<span role="status"><b lang="en">${jog.channel}</b> ${t("service.moves", { name: jog.name })}</span>`}
  </div>`;
}

/** Latched faults, and trends that announce a failure. */
function Warnings({ mode, give }) {
  return html`${mode.latched.length > 0 &&
    html`<div class="notice fault" role="alert"><strong>${t("service.latched")}</strong> <span lang="en">${mode.latched.join(", ")}</span>
      <div class="actions"><button onClick=${() => give("clear_board_faults")}>${t("service.clear")}</button></div></div>`}
    ${mode.warnings.map((warning) => html`<p class="notice" lang="en">${warning}</p>`)}`;
}
