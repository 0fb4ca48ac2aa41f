/** One table: its condition, its alarms, requests to it, its figures and its history. */
import { t } from "../data/messages.js";
import { acts, state } from "../data/store.js";
import { figure, figureTime, lasting, roleWords } from "../data/words.js";
import { useTick } from "../frame/hooks.js";
import { Icon } from "../frame/icons.js";
import { html } from "../vendor/htm_preact.js";
import { AbsentTable, Administration, administers } from "./administration.js";
import { Alarms } from "./alarms.js";
import { FigureList, HoursChoice, useFigures } from "./figures.js";
import { History } from "./history.js";
import { Requests } from "./requests.js";

export function TablePage() {
  useTick(1000);
  const figures = useFigures();
  const table = state.tables.get(state.table);
  if (!table) {
    if (!state.floor) return html`<p class="empty">${t("floor.loading")}</p>`;
    return html`<p class="back"><a href="#/room"><${Icon} name="back" />${t("table.back")}</a></p>
      <${AbsentTable} key=${state.table} name=${state.table} otherwise=${html`<p class="empty">${t("table.unknown")}</p>`} />`;
  }
  const own = figures.value?.tables[table.name];
  return html`<p class="back"><a href="#/room"><${Icon} name="back" />${t("table.back")}</a></p>
    <section class="card table-head ${table.condition}">
      <h1>${table.title}</h1>
      <p class="need-head"><span class="badge ${table.condition}">${t(`condition.${table.condition}`)}</span>
        ${table.who && html`<span>${t("room.who", { role: roleWords(table.who) })}</span>`}
        ${table.since && html`<span class="since">${lasting(table.since)}</span>`}</p>
      ${table.sentence && html`<p class="sentence" lang="en">${table.sentence}</p>`}
      ${table.state?.fault?.cure && html`<p lang="en"><b>${t("table.cure")}</b> ${table.state.fault.cure}</p>`}
    </section>
    <div class="columns">
      <section class="card"><h2>${t("alarms.title")}</h2><${Alarms} table=${table.name} full=${true} /></section>
      ${acts() && html`<${Requests} table=${table} />`}
      <section class="card">
        <div class="card-head"><h2>${t("figures.title")}</h2><${HoursChoice} /></div>
        <${FigureList} values=${own} /><${Counts} values=${own} />
      </section>
      <${Facts} table=${table} />
      ${administers() && html`<${Administration} key=${`${table.name}/${table.title}`} table=${table} />`}
      ${table.state?.drift.length > 0 && html`<section class="card">
        <h2>${t("table.drift")}</h2>
        <ul class="rows">${table.state.drift.map((drift) => html`<li><span lang="en">${drift.sentence}</span></li>`)}</ul>
      </section>`}
    </div>
    <${History} key=${table.name} table=${table.name} />`;
}

function Counts({ values }) {
  if (!values) return null;
  const shown = {
    rounds: figure(values.rounds),
    assists: figure(values.assists),
    operating_s: figureTime(values.operating_s),
    out_of_play_s: figureTime(values.out_of_play_s),
    jams: figure(values.jams),
  };
  const faults = Object.entries(values.faults);
  return html`<dl class="facts small-facts">
    ${Object.entries(shown).map(([key, text]) => html`<div><dt>${t(`figures.${key}`)}</dt><dd>${text}</dd></div>`)}
    ${faults.length > 0 && html`<div><dt>${t("figures.faults")}</dt><dd>${faults.map(([code, count]) => `${code} × ${count}`).join(", ")}</dd></div>`}
  </dl>`;
}

/** Facts for a technician: what the floor has of the table, and since when. */
function Facts({ table }) {
  const last = table.state;
  const shown = {
    connection: t(table.connected ? "table.connected" : "table.not_connected", { time: lasting(table.connection_since) }),
    state_received: lasting(table.state_received),
    stored: figure(table.stored),
    stored_at: lasting(table.stored_at),
    cosigned: table.cosigned > 0 && t("table.cosigned_head", { count: figure(table.cosigned), time: lasting(table.cosigned_at) }),
    tiles: last && `${figure(last.tiles_accounted)} / ${figure(last.tiles_expected)}`,
    rounds: last && figure(last.rounds),
    machine: last && `${last.under} / ${last.top} (${last.mode})`,
    name: table.name,
    software: table.software && `${table.software}${table.simulated ? ` (${t("frame.simulated")})` : ""}`,
  };
  return html`<section class="card">
    <h2>${t("table.facts")}</h2>
    <dl class="facts small-facts">
      ${Object.entries(shown)
        .filter(([, text]) => text)
        .map(([key, text]) => html`<div><dt>${t(`table.${key}`)}</dt><dd>${text}</dd></div>`)}
    </dl>
  </section>`;
}

