/** A technician's changes of a table: another title, its retirement, and its return. */
import { api } from "../api.js";
import { dateTime, t } from "../data/messages.js";
import { acts, may } from "../data/store.js";
import { Confirm } from "../frame/dialog.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";
import { History } from "./history.js";

/** Whether the signed-in person may change which tables the floor has. */
export const administers = () => acts() && may("technician");

/** The card on the page of a table in use. */
export function Administration({ table }) {
  const [run, { busy, error, done }] = useAction();
  const [asking, ask] = useState(null);
  const rename = (event) => {
    event.preventDefault();
    const title = event.target.elements.title.value.trim();
    run(() => api.renameTable(table.name, title));
  };
  const retire = (reason, confirmed) =>
    run(async () => {
      try {
        await api.retireTable(table.name, reason, confirmed);
        location.hash = `#/table/${table.name}`;
      } catch (problem) {
        if (problem.code !== "table_in_use") throw problem;
        ask({ reason, confirmed: true, detail: problem.message });
      }
    });
  const askToRetire = (event) => {
    event.preventDefault();
    ask({ reason: event.target.elements.reason.value.trim(), confirmed: false });
  };
  return html`<section class="card administration">
    <h2>${t("change.title")}</h2>
    <form class="inline" onSubmit=${rename}>
      <label class="field"><span>${t("change.shown_title")}</span>
        <input name="title" maxlength="60" autocomplete="off" defaultValue=${table.title} /></label>
      <button disabled=${busy}>${t("change.rename")}</button>
    </form>
    <p class="hint">${t("change.rename.hint")}</p>
    <form class="inline" onSubmit=${askToRetire}>
      <label class="field"><span>${t("change.reason")}</span>
        <input name="reason" maxlength="200" autocomplete="off" /></label>
      <button disabled=${busy}>${t("change.retire")}</button>
    </form>
    ${done && html`<p class="notice done" role="status">${t("change.done")}</p>`}
    <${Notice} error=${error} />
    ${asking && html`<${Confirm} key=${String(asking.confirmed)} question=${t("change.retire.question", { table: table.title })}
      detail=${[asking.detail, t("change.retire.detail")].filter(Boolean).join(" ")} action=${t("change.retire")}
      close=${() => ask(null)} act=${() => retire(asking.reason, asking.confirmed)} />`}
  </section>`;
}

/** The page of a table that is not in the room: a retired one with its history, or none. */
export function AbsentTable({ name, otherwise }) {
  const retired = useLoaded(() => api.retired(), [name]);
  const [run, { busy, error }] = useAction();
  const table = retired.value?.find((each) => each.name === name);
  if (!table) {
    return html`${retired.value && otherwise}<${Notice} error=${retired.error} />`;
  }
  const takeBack = () => run(() => api.unretireTable(name));
  return html`<section class="card table-head retired">
      <h1>${table.title}</h1>
      <p class="need-head"><span class="badge">${t("condition.retired")}</span> <span>${dateTime(table.at)}</span></p>
      <p>${t("change.retired_by", { who: table.who })}${table.reason && html` <q>${table.reason}</q>`}</p>
      <p class="hint">${t("change.certificate", { command: `wallwright floor ca revoke table ${name}` })}</p>
      ${administers() && html`<div class="actions"><button disabled=${busy} onClick=${takeBack}>${t("change.unretire")}</button></div>`}
      <${Notice} error=${error} />
    </section>
    <${History} key=${name} table=${name} />`;
}

/** The retired tables, with links to their histories; nothing without any. */
export function RetiredTables() {
  const retired = useLoaded(() => api.retired());
  if (!retired.value?.length) return html`<${Notice} error=${retired.error} />`;
  return html`<section class="card">
    <h2>${t("change.retired_tables")}</h2>
    <ul class="rows">${retired.value.map(
      (table) => html`<li key=${table.name}><span><a href=${`#/table/${table.name}`}>${table.title}</a>${" "}
        <small>${table.name}, ${dateTime(table.at)}, ${table.who}${table.reason && html` <q>${table.reason}</q>`}</small></span></li>`,
    )}</ul>
  </section>`;
}
