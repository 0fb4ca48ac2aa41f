/** The technician's view: the boards, service mode, users and devices, and the end of the service. */
import { command } from "../api.js";
import { number, t } from "../data/messages.js";
import { draft, setDraft, state } from "../data/store.js";
import { Confirm } from "../frame/dialog.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { SaveFile } from "../frame/save_file.js";
import { Tabs } from "../frame/tabs.js";
import { Devices } from "../service/devices.js";
import { ServiceMode } from "../service/service_mode.js";
import { Users } from "../service/users.js";
import { html, useState } from "../vendor/htm_preact.js";

const TABS = { service: ServiceMode, state: TableState, users: Users, devices: Devices };

export function TechnicianView() {
  if (!state.status) return html`<p class="starting">${t("now.loading")}</p>`;
  const present = draft("tab.technician", "service");
  const Content = TABS[present] ?? ServiceMode;
  return html`<${Tabs} names=${Object.keys(TABS)} present=${present} label=${t("view.technician")}
    pick=${(name) => setDraft("tab.technician", name)}><${Content} /><//>`;
}

function TableState() {
  const [run, { busy, error }] = useAction();
  const [asking, ask] = useState(false);
  if (!state.status) return null;
  const { boards, machine, tiles, table, programme } = state.status;
  // The boards are opened for the first session; before it, and in service mode, no run uses them.
  const inUse = machine.mode !== "offline";
  return html`<div class="columns">
    <section class="card">
      <h2>${t("boards.title")}</h2>
      <ul class="rows">${Object.entries(boards).map(
        ([name, board]) => html`<li><span lang="en"><b>${name}</b> <small>${[board.serial, board.firmware].filter(Boolean).join(" · ")}</small></span>
          ${inUse
            ? html`<b class=${board.connected ? "good" : "bad"}>${t(board.connected ? "boards.connected" : "boards.silent")}</b>`
            : html`<b>${t(state.status.service_mode ? "boards.service_mode" : "boards.unused")}</b>`}</li>`,
      )}</ul>
    </section>
    <section class="card">
      <h2>${t("state.title")}</h2>
      <ul class="rows">
        ${[
          [t("state.mode"), machine.mode, true],
          [t("state.under"), machine.under, true],
          [t("state.top"), machine.top, true],
          [t("counts.tiles"), t("counts.tiles_of", { accounted: number(tiles.accounted), expected: number(tiles.expected) })],
          [t("state.software"), table.software],
        ].map(([name, value, own]) => html`<li><span>${name}</span><b lang=${own ? "en" : null}>${value}</b></li>`)}
      </ul>
    </section>
    ${table.simulated &&
    html`<section class="card">
      <h2>${t("simulation.title")}</h2>
      <p class="hint">${t("simulation.what")}</p>
      <div class="actions">
        <button disabled=${busy} onClick=${() => run(() => command("automatic", { on: true }))}>${t("simulation.on")}</button>
        <button disabled=${busy} onClick=${() => run(() => command("automatic", { on: false }))}>${t("simulation.off")}</button>
      </div>
    </section>`}
    <section class="card">
      <h2>${t("diagnostics.title")}</h2>
      <p class="hint">${t("diagnostics.what")}</p>
      <${SaveFile} path="diagnostics.zip" name=${`diagnostics-${table.name}.zip`} words=${t("diagnostics.save")} />
    </section>
    <section class="card">
      <h2>${t("stop.title")}</h2>
      <p class="hint">${t("stop.what")}</p>
      <div class="actions"><button disabled=${busy} onClick=${() => ask(true)}>${t("stop.go")}</button></div>
      <${Notice} error=${error} />
    </section>
    ${asking && html`<${Confirm} question=${t("stop.question")} detail=${t("stop.what")} action=${t("stop.go")}
      close=${() => ask(false)} act=${() => run(() => command("stop_service"))} />`}
  </div>`;
}
