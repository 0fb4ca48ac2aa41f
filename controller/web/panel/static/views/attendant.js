/** The attendant's view: what is wrong, where, what was expected, the cure, and the history. */
import { api, command } from "../api.js";
import { duration, number, t } from "../data/messages.js";
import { may, state, tableTime } from "../data/store.js";
import { causeWords, faultTitle, named } from "../data/words.js";
import { useAction, useLoaded, useTick } from "../frame/hooks.js";
import { Empty, Notice } from "../frame/notice.js";
import { PromptAnswer, Prompts } from "../prompts/prompts.js";
import { Controls } from "../session/controls.js";
import { NowCard } from "../session/now_card.js";
import { TablePicture } from "../session/table_picture.js";
import { html } from "../vendor/htm_preact.js";

export function AttendantView() {
  useTick(2000);
  const catalogue = useLoaded(() => api.faults());
  const { status } = state;
  if (!status) return html`<p class="starting">${t("now.loading")}</p>`;
  const faults = status.prompts.filter((prompt) => prompt.kind === "fault");
  const row = (code) => catalogue.value?.find((each) => each.code === code);
  return html`<div class="two-columns">
    <div class="picture-column"><${TablePicture} /></div>
    <div class="side-column">
      <${NowCard} />
      <div id="prompts" tabindex="-1" role="region" aria-label=${t("prompts.label")}>
        ${status.fault && html`<${StoppedTable} fault=${status.fault} row=${row(status.fault.code)} />`}
        ${faults.map((prompt) => html`<${FaultCard} key=${prompt.id} prompt=${prompt} row=${row(prompt.code)} />`)}
      </div>
      <${PauseCauses} causes=${status.pause} />
      <${Lead} />
      <${Controls} />
      ${status.prompts.some((prompt) => prompt.kind !== "fault") &&
      html`<details class="card"><summary>${t("attendant.other_prompts")}</summary><${Prompts} kinds=${["step", "choice", "dice", "face", "act", "seats"]} /></details>`}
      <${History} />
    </div>
  </div>`;
}

/** What was expected of the sensor, what it saw instead, and the likely cause. */
const Evidence = ({ evidence, row }) => html`<dl class="evidence-list">
  <div><dt>${t("attendant.seen")}</dt><dd lang="en">${evidence}</dd></div>
  ${row && html`<div><dt>${t("attendant.expected")}</dt><dd lang="en">${row.expected}</dd></div>
    <div><dt>${t("attendant.cause")}</dt><dd lang="en">${row.cause}</dd></div>`}
</dl>`;

/** One open fault: the cure step by step, and the answer as its last step. */
function FaultCard({ prompt, row }) {
  return html`<article class=${`prompt is-fault ${prompt.safety ? "safety" : ""}`} aria-labelledby=${`fault-${prompt.id}`}>
    <p class="over"><span lang="en">${prompt.code}</span><span lang="en">${prompt.part}</span>
      <span class="waits">${t("prompt.waits", { time: duration(tableTime() - prompt.since) })}</span></p>
    <h3 id=${`fault-${prompt.id}`}>${faultTitle(prompt.code)}</h3>
    <${Evidence} evidence=${prompt.evidence} row=${row} />
    <ol class="cure" aria-label=${t("attendant.cure")}>
      ${row && html`<li class="past"><span>${t("attendant.tried")}</span> <span lang="en">${row.automatic}.</span></li>`}
      ${prompt.safety && html`<li>${t("attendant.safety")}</li>`}
      <li><strong lang="en">${prompt.request}</strong></li>
      <li><span>${t("attendant.answer")}</span><${PromptAnswer} prompt=${prompt} /></li>
    </ol>
  </article>`;
}

/** The fault that stopped the table, and the way to start it again. */
function StoppedTable({ fault, row }) {
  const [run, { busy, error }] = useAction();
  return html`<article class="prompt is-fault" aria-labelledby="fault-stopped">
    <p class="over"><span lang="en">${fault.code}</span><span lang="en">${fault.part}</span></p>
    <h3 id="fault-stopped">${faultTitle(fault.code)}</h3>
    <${Evidence} evidence=${fault.evidence} row=${row} />
    <ol class="cure" aria-label=${t("attendant.cure")}>
      <li><strong lang="en">${fault.cure}</strong></li>
      <li>${may(fault.role)
        ? html`<span>${t("attendant.start_hint")}</span>
            <div class="actions"><button class="primary" disabled=${busy} onClick=${() => run(() => command("clear_fault"))}>${t("attendant.start")}</button></div>`
        : t("prompt.needs_role", { role: t(`role.${fault.role}`) })}</li>
    </ol>
    <${Notice} error=${error} />
  </article>`;
}

function PauseCauses({ causes }) {
  if (!causes.length) return null;
  return html`<section class="card"><h2>${t("attendant.pause")}</h2>
    <ul class="rows">${causes.map((cause) => html`<li><span>${causeWords(cause)}</span><b>${duration(tableTime() - cause.since)}</b></li>`)}</ul>
  </section>`;
}

/** Who leads the recovery: only that client answers fault prompts, until it lets go. */
function Lead() {
  const [run, { busy, error }] = useAction();
  const { lead } = state.status ?? {};
  if (!may("attendant")) return null;
  const own = lead?.client === state.me?.client;
  const give = (name) => () => run(() => command(name));
  return html`<section class="card lead">
    <div class="card-head">
      <div><h2>${t("lead.title")}</h2>
        <p class="hint">${own ? t("lead.own") : lead ? t("lead.other", { name: lead.name, role: t(`role.${lead.role}`) }) : t("lead.nobody")}</p></div>
      ${own
        ? html`<button disabled=${busy} onClick=${give("release_lead")}>${t("lead.release")}</button>`
        : html`<button disabled=${busy} onClick=${give("take_lead")}>${t("lead.take")}</button>`}
    </div>
    <${Notice} error=${error} />
  </section>`;
}

/** Recoveries, assists and pauses since the service started, and what happened last. */
function History() {
  const { counts, recent } = state.status;
  const codes = [...new Set([...Object.keys(counts.recoveries), ...Object.keys(counts.assists)])].sort();
  return html`<section class="card">
    <h2>${t("history.title")}</h2>
    ${codes.length
      ? html`<table><thead><tr><th scope="col">${t("history.fault")}</th><th scope="col">${t("history.recovered")}</th><th scope="col">${t("history.assisted")}</th></tr></thead>
          <tbody>${codes.map(
            (code) => html`<tr><th scope="row">${faultTitle(code)}</th><td>${number(counts.recoveries[code] ?? 0)}</td><td>${number(counts.assists[code] ?? 0)}</td></tr>`,
          )}</tbody></table>`
      : html`<${Empty}>${t("history.none")}<//>`}
    <${RecentEvents} events=${recent} />
  </section>`;
}

/** The last events in words, the latest first. */
export const RecentEvents = ({ events }) => html`<ul class="recent" aria-label=${t("history.recent")}>
  ${[...events].reverse().map(
    (event) => html`<li class=${event.kind}><span lang="en">${named(state.status, event.text)}</span>
      <small>${t("history.ago", { time: duration(tableTime() - event.at) })}</small></li>`,
  )}
</ul>`;
