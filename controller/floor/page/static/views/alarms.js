/** Open alarms of one table, with the person who takes care of each. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { acts } from "../data/store.js";
import { alarmsOf, lasting, roleWords } from "../data/words.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html } from "../vendor/htm_preact.js";

/** The alarms of a table; `full` shows the observations too. */
export function Alarms({ table, full = false }) {
  const alarms = alarmsOf(table);
  if (!alarms.length) return full ? html`<p class="empty">${t("alarms.none")}</p>` : null;
  return html`<ul class="alarms ${full ? "" : "compact"}">
    ${alarms.map((alarm) => html`<${Alarm} key=${`${alarm.log}.${alarm.number}`} alarm=${alarm} full=${full} />`)}
  </ul>`;
}

function Alarm({ alarm, full }) {
  const [run, { busy, error }] = useAction();
  const by = alarm.acknowledged;
  return html`<li class="alarm ${by ? "seen" : ""}">
    <p class="alarm-head"><b>${alarm.code}</b> <span>${alarm.part}</span>${full && html` <span class="since">${lasting(alarm.since)}</span>`}</p>
    ${full && alarm.evidence && html`<p lang="en">${alarm.evidence}</p>`}
    ${full && alarm.request && html`<p lang="en"><b>${roleWords(alarm.role)}:</b> ${alarm.request}</p>`}
    ${by
      ? html`<p class="seen-by">${t("alarms.by", { who: by.who, time: lasting(by.at) })}${by.note && html` <q>${by.note}</q>`}</p>`
      : acts() && html`<form class="inline" onSubmit=${(event) => submit(event, run, alarm)}>
          ${full && html`<label class="field"><span>${t("alarms.note")}</span><input name="note" maxlength="200" autocomplete="off" /></label>`}
          <button class="primary small" disabled=${busy}>${t("alarms.acknowledge")}</button>
        </form>`}
    <${Notice} error=${error} />
  </li>`;
}

function submit(event, run, alarm) {
  event.preventDefault();
  run(() => api.acknowledge(alarm, event.target.elements.note?.value.trim() ?? ""));
}
