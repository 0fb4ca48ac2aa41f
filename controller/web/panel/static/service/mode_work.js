/** Work in service mode: test programmes, calibrations, their questions, and the proposed change. */
import { number, t } from "../data/messages.js";
import { SaveFile } from "../frame/save_file.js";
import { html, useState } from "../vendor/htm_preact.js";

/** The test programmes of the stations, with the results of their trials. */
export const StationTests = ({ mode, give, busy }) => html`<section class="card">
  <h2>${t("service.tests")}</h2>
  <div class="actions">${mode.stations.map(
    (station) => html`<button lang="en" disabled=${busy || mode.activity} onClick=${() => give("run_test", { station })}>${station}</button>`,
  )}</div>
  ${mode.results.length > 0 &&
  html`<ul class="rows">${mode.results.map(
    (trial) => html`<li lang="en"><span>${trial.part}: ${trial.what} <small>${trial.seen}</small></span>
      <b class=${trial.verdict === "passed" ? "good" : trial.verdict === "failed" ? "bad" : ""}>${t(`service.verdict.${trial.verdict}`)}</b></li>`,
  )}</ul><${SaveFile} path="service-mode/selftest.md" name="selftest.md" words=${t("service.save_report")} />`}
</section>`;

/** The calibrations that this table offers, and those that it cannot measure, each with its reason. */
export const Calibrations = ({ mode, give, busy }) => html`<section class="card">
  <h2>${t("service.calibrations")}</h2>
  <ul class="rows offers">${mode.calibrations.map(
    (offer) => html`<li><span lang="en">${offer.title}${offer.unavailable && html` <small>${offer.unavailable}</small>`}</span>
      <button class="small" disabled=${busy || mode.activity || offer.unavailable} aria-label=${`${t("service.calibrate")}: ${offer.title}`}
        onClick=${() => give("calibrate", { kind: offer.kind, target: offer.target })}>${t("service.calibrate")}</button></li>`,
  )}</ul>
</section>`;

/** The counters of maintenance, such as activations of a motor. */
export const Counters = ({ mode }) => html`<section class="card">
  <h2>${t("service.counters")}</h2>
  <ul class="rows">${mode.counters.map((counter) => html`<li lang="en"><span>${counter.name}</span><b>${number(counter.value)} ${counter.unit}</b></li>`)}</ul>
</section>`;

/** What the table has found in service mode, the latest first. */
export function Findings({ findings }) {
  if (!findings.length) return null;
  return html`<section class="card">
    <h2>${t("service.findings")}</h2>
    <ul class="recent">${[...findings].reverse().map((finding) => html`<li class=${finding.kind} lang="en">${finding.text}</li>`)}</ul>
  </section>`;
}

/** What is in progress, its open question, and a change that waits for its confirmation. */
export function Present({ mode, give, busy }) {
  const { activity, question, change } = mode;
  if (!activity && !question && !change) return null;
  return html`<section class="card wide" aria-live="polite">
    ${activity && html`<h2>${t(`service.activity.${activity.kind}`, { target: activity.target })}</h2><p class="detail" lang="en">${activity.step}</p>`}
    ${question && html`<${Question} key=${question.id} question=${question} busy=${busy} answer=${(value) => give("answer_service_question", { question: question.id, value })} />`}
    ${change &&
    html`<h2>${t("service.change", { file: change.file })}</h2>
      <ul class="reasons" lang="en">${change.summary.map((line) => html`<li>${line}</li>`)}</ul>
      <pre class="diff" lang="en" tabindex="0" aria-label=${t("service.change", { file: change.file })}>${change.diff
        .split("\n")
        .map((line) => html`<span class=${line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""}>${line}${"\n"}</span>`)}</pre>
      ${!change.writable && html`<p class="notice">${t("service.not_writable")}</p>`}
      <div class="actions">
        <button class="primary" disabled=${busy || !change.writable} onClick=${() => give("confirm_change", { change: change.id })}>${t("service.confirm_change")}</button>
        <button disabled=${busy} onClick=${() => give("discard_change", { change: change.id })}>${t("service.discard_change")}</button>
      </div>
      <${SaveFile} path="service-mode/change.diff" name="change.diff" words=${t("service.save_change")} />`}
  </section>`;
}

function Question({ question, busy, answer }) {
  const [value, type] = useState("");
  const submit = (event) => {
    event.preventDefault();
    answer(value.trim());
  };
  return html`<form onSubmit=${submit}>
    <h3 lang="en">${question.text}</h3>
    ${question.kind === "measure" &&
    html`<div class="inline"><label class="field"><span>${t("service.measured", { unit: question.unit })}</span>
      <input inputmode="decimal" required value=${value} onInput=${(event) => type(event.target.value)} /></label><button class="primary" disabled=${busy}>${t("answer.send")}</button></div>`}
    <div class="actions">${question.choices.map(
      (choice, index) => html`<button type="button" class=${index === 0 && question.kind !== "measure" ? "primary" : ""} disabled=${busy} onClick=${() => answer(choice)}>${choice}</button>`,
    )}</div>
  </form>`;
}
