/** The room: who is needed where and for how long already, and the plan with every table. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { CONDITIONS, alarmsOf, figure, lasting, lastingShort, orderedTables, roleWords } from "../data/words.js";
import { useTick } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html } from "../vendor/htm_preact.js";
import { Alarms } from "./alarms.js";
import { FigureList, HoursChoice, useFigures } from "./figures.js";

/** From this number of tables on, the plan shows small tiles. */
const DENSE = 60;

export function Room() {
  useTick(1000);
  const figures = useFigures();
  const tables = orderedTables();
  const needed = tables.filter((table) => table.needs_person || alarmsOf(table.name).length);
  return html`<h1 class="unseen">${t("view.room")}</h1>
    <div class="summary">
      <section class="card counts-card" aria-label=${t("room.summary")}><${Counts} tables=${tables} /></section>
      <section class="card figures-card" aria-label=${t("figures.title")}>
        <${FigureList} values=${figures.value?.room} /><${HoursChoice} />
      </section>
    </div>
    <${Notice} error=${figures.error} />
    <div class="room-columns">
      <section class="needed" aria-labelledby="needed-title">
        <h2 id="needed-title">${t("room.needed")}</h2>
        ${needed.length === 0 && html`<p class="card empty calm">${t(tables.length ? "room.calm" : "room.empty")}</p>`}
        <ul>${needed.map((table) => html`<${Needed} key=${table.name} table=${table} />`)}</ul>
      </section>
      <section class="plan" aria-labelledby="plan-title">
        <h2 id="plan-title">${t("room.plan")}</h2>
        <${Plan} tables=${tables} figures=${figures.value?.tables ?? {}} />
      </section>
    </div>`;
}

function Counts({ tables }) {
  const counts = CONDITIONS.map((name) => [name, tables.filter((table) => table.condition === name).length]);
  return html`<ul class="counts">
    <li class="all"><b>${tables.length}</b> ${t("room.tables")}</li>
    ${counts.filter(([, count]) => count).map(
      ([name, count]) => html`<li class=${name}><b>${count}</b> ${t(`count.${name}`)}</li>`,
    )}
  </ul>`;
}

/** One table that needs a person: the condition, who, for how long, and its alarms. */
function Needed({ table }) {
  const isSeen = alarmsOf(table.name).length > 0 && alarmsOf(table.name).every((alarm) => alarm.acknowledged);
  return html`<li class="card need ${table.condition} ${isSeen ? "seen" : ""}">
    <p class="need-head">
      <span class="badge ${table.condition}">${t(`condition.${table.condition}`)}</span>
      <a href=${`#/table/${table.name}`}><b>${table.title}</b></a>
      <span class="since">${lasting(table.since)}</span>
    </p>
    ${table.who && html`<p class="who">${t("room.who", { role: roleWords(table.who) })}</p>`}
    ${table.condition !== "disconnected" && html`<p class="sentence" lang="en">${table.sentence}</p>`}
    <${Alarms} table=${table.name} />
  </li>`;
}

/** Every table at its place; without a plan in the order of the names. */
function Plan({ tables, figures }) {
  const names = new Intl.Collator("en", { numeric: true });
  const sorted = [...tables].sort((a, b) => names.compare(a.name, b.name));
  const placed = sorted.filter((table) => state.plan[table.name]);
  const columns = Math.max(0, ...placed.map((table) => state.plan[table.name][0] + 1));
  const dense = tables.length >= DENSE ? "dense" : "";
  const width = dense ? "5.5rem" : "8.5rem";
  const style = columns ? { gridTemplateColumns: `repeat(${columns}, minmax(${width}, 1fr))` } : {};
  const others = sorted.filter((table) => !state.plan[table.name]);
  return html`${columns > 0 && html`<ul class="stands placed ${dense}" style=${style}>
      ${placed.map((table) => html`<${Stand} key=${table.name} table=${table} place=${state.plan[table.name]} figures=${figures[table.name]} />`)}
    </ul>`}
    ${others.length > 0 && html`<ul class="stands ${dense}">
      ${others.map((table) => html`<${Stand} key=${table.name} table=${table} figures=${figures[table.name]} />`)}
    </ul>`}`;
}

/** One table on the plan; the whole tile opens the table's page. */
function Stand({ table, place, figures }) {
  const style = place ? { gridColumn: String(place[0] + 1), gridRow: String(place[1] + 1) } : {};
  const drift = table.state?.drift.length ?? 0;
  const rate = figures?.rounds_per_hour;
  const seen = alarmsOf(table.name).filter((alarm) => alarm.acknowledged).map((alarm) => alarm.acknowledged.who);
  return html`<li style=${style}><a class="stand ${table.condition}" href=${`#/table/${table.name}`}>
    <b class="stand-title">${table.title}</b>
    <span class="stand-condition">${t(`condition.${table.condition}`)}</span>
    ${table.needs_person && html`<span class="stand-since">${table.who && `${roleWords(table.who)} · `}<b>${lastingShort(table.since)}</b></span>`}
    ${seen.length > 0 && html`<span class="seen-by">${t("room.seen", { who: [...new Set(seen)].join(", ") })}</span>`}
    <span class="stand-foot">
      ${table.state?.game && html`<span class="stand-game">${table.state.game}</span>`}
      ${rate !== null && rate !== undefined && html`<span>${t("room.rate", { rate: figure(rate) })}</span>`}
      ${drift > 0 && html`<span class="drift">${t("room.drift", { drift })}</span>`}
      ${table.contradiction && html`<span class="drift">${t("room.log")}</span>`}
      ${table.state?.out_of_play && table.condition !== "out_of_play" && html`<span>${t("condition.out_of_play")}</span>`}
    </span>
  </a></li>`;
}
