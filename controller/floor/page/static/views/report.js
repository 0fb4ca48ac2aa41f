/** Figures of every table, and the pit report of a time range as CSV and PDF. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { floorTime, state } from "../data/store.js";
import { figure, figureTime } from "../data/words.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";
import { RetiredTables } from "./administration.js";
import { HoursChoice, useFigures } from "./figures.js";

const COLUMNS = {
  rounds: figure,
  rounds_per_hour: figure,
  operating_s: figureTime,
  mtba_s: figureTime,
  mtta_s: figureTime,
  tiles_per_jam: figure,
  out_of_play_s: figureTime,
};

export function Report() {
  const figures = useFigures();
  return html`<h1 class="unseen">${t("view.report")}</h1>
    <${RangeReport} />
    <section class="card">
      <div class="card-head"><h2>${t("figures.title")}</h2><${HoursChoice} /></div>
      <${Notice} error=${figures.error} />
      ${figures.value ? html`<${FigureTable} value=${figures.value} />` : html`<p class="hint">${t("floor.loading")}</p>`}
    </section>
    <${RetiredTables} />`;
}

function FigureTable({ value }) {
  const names = new Intl.Collator("en", { numeric: true });
  const rows = Object.entries(value.tables).sort(([a], [b]) => names.compare(a, b));
  const cells = (values) => Object.entries(COLUMNS).map(([key, words]) => html`<td>${words(values[key])}</td>`);
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${t("figures.title")}><table class="figure-table">
    <thead><tr><th scope="col">${t("figures.table")}</th>${Object.keys(COLUMNS).map((key) => html`<th scope="col">${t(`figures.${key}`)}</th>`)}</tr></thead>
    <tbody>
      <tr class="whole"><th scope="row">${t("figures.room")}</th>${cells(value.room)}</tr>
      ${rows.map(
        ([name, values]) => html`<tr key=${name}><th scope="row"><a href=${`#/table/${name}`}>${state.tables.get(name)?.title ?? values.title}</a>${values.retired && html` <small>${t("figures.retired")}</small>`}</th>${cells(values)}</tr>`,
      )}
    </tbody>
  </table></div>
  <p class="hint">${t("figures.definitions")}</p>`;
}

/** A time for an input of the kind `datetime-local`, in the time zone of this device. */
function localText(at) {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60000);
  return local.toISOString().slice(0, 16);
}

function RangeReport() {
  const [run, { busy, error }] = useAction();
  const now = state.at ? floorTime() : Date.now();
  const [begin, setBegin] = useState(localText(now - 8 * 3600000));
  const [end, setEnd] = useState(localText(now));
  const save = (ending) => {
    const range = [begin, end].map((text) => encodeURIComponent(new Date(text).toISOString()));
    return run(() => api.save(`floor/report.${ending}?begin=${range[0]}&end=${range[1]}`, `pit-report-${begin.slice(0, 10)}.${ending}`));
  };
  const isComplete = begin && end;
  return html`<section class="card">
    <h2>${t("report.title")}</h2>
    <p class="hint">${t("report.what")}</p>
    <div class="fields">
      <label class="field"><span>${t("report.begin")}</span><input type="datetime-local" value=${begin} max=${end} onInput=${(event) => setBegin(event.target.value)} /></label>
      <label class="field"><span>${t("report.end")}</span><input type="datetime-local" value=${end} min=${begin} onInput=${(event) => setEnd(event.target.value)} /></label>
    </div>
    <div class="actions">
      <button class="primary" disabled=${busy || !isComplete} onClick=${() => save("pdf")}>${t("report.pdf")}</button>
      <button disabled=${busy || !isComplete} onClick=${() => save("csv")}>${t("report.csv")}</button>
      ${busy && html`<span class="hint" role="status">${t("file.busy")}</span>`}
    </div>
    <${Notice} error=${error} />
  </section>`;
}
