/** The results of the session's hands in words, the scores, and who owes whom. */
import { api, replayAddress } from "../api.js";
import { number, t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";
import { useAction } from "../frame/hooks.js";
import { html, useRef, useState } from "../vendor/htm_preact.js";
import { Empty, Notice } from "../frame/notice.js";
import { later } from "../frame/page_frame.js";
import { Icon } from "../frame/icons.js";
import { openJudge, openRecordedCase } from "./open_judge.js";

const ResultCorrection = later(() => import("./result_card.js"), "ResultCorrection");

/** Number of earlier hands that are loaded at once. */
const EARLIER = 20;

export function Results() {
  const session = state.status?.session;
  if (!session) return html`<section class="card"><h2>${t("results.title")}</h2><${Empty}>${t("results.no_session")}<//></section>`;
  const latest = [...session.results].sort((a, b) => b.number - a.number);
  const seats = (seat) => seatWords(state.status, seat);
  return html`<${Debts} debts=${session.debts} />
    <section class="card">
      <div class="card-head"><h2>${t("results.title")}</h2>
        <button class="quiet" onClick=${openJudge}><${Icon} name="judge" />${t("results.judge")}</button></div>
      ${!latest.length && html`<${Empty}>${t(session.follow === "none" ? "results.not_followed" : "results.none")}<//>`}
      <ol class="results" reversed>
        ${latest.map((result) => html`<${HandResult} key=${result.number} result=${result} seats=${seats} />`)}
      </ol>
      ${latest.length > 0 && html`<${EarlierHands} key=${session.id} session=${session.id} latest=${latest} seats=${seats} />`}
    </section>`;
}

/** The hands down from the one before `number`, as far as none is missing. */
function downFrom(number, hands) {
  const found = [];
  for (let at = number - 1; hands.has(at); at -= 1) found.push(hands.get(at));
  return found;
}

/** The hands before those in the status, page by page. */
function EarlierHands({ session, latest, seats }) {
  const hands = useRef(new Map()).current;
  const [run, { busy, error }] = useAction();
  const keep = (results) => results.forEach((result) => hands.set(result.number, result));
  // The status has the last hands only: the hands that leave it continue the loaded ones.
  if (hands.size) keep(latest);
  const before = latest.at(-1).number;
  const known = downFrom(before, hands);
  const first = before - known.length;
  if (first <= 1 && !known.length) return null;
  const load = () =>
    run(async () => {
      const { results } = await api.results(session, Math.max(0, first - 1 - EARLIER), EARLIER);
      keep([...latest, ...results]);
    });
  return html`<ol class="results" reversed>
      ${known.map((result) => html`<${HandResult} key=${result.number} result=${result} seats=${seats} session=${session} />`)}
    </ol>
    <${Notice} error=${error} />
    ${first > 1 && html`<div class="actions"><button disabled=${busy} onClick=${load}>${t("results.earlier")}</button></div>`}`;
}

/** Who owes whom, as one sentence a debt. */
function Debts({ debts }) {
  if (!debts.length) return null;
  return html`<section class="card">
    <h2>${t("debts.title")}</h2>
    <ul class="debts">${debts.map(
      (debt) => html`<li><span>${t("debts.line", { debtor: named(state.status, debt.debtor), creditor: named(state.status, debt.creditor) })}</span><b>${number(debt.amount)}</b></li>`,
    )}</ul>
  </section>`;
}

/** Who has reported the result of a hand of a session, and whether its payments are counted. */
function reportWords(result, id) {
  if (result.result) return [result.by && t("results.by", { name: result.by }), !result.counted && t("results.not_counted")];
  const session = state.status?.session;
  const reports = session?.id === id && session.follow === "result";
  const settled = result.abandoned || result.winner !== null || result.payments.length > 0 || result.reasons.length > 0;
  return [reports && !settled && t("results.not_reported")];
}

/** One hand: its sentence, its payments and its reasons; `seats(seat)` names a seat. */
export function HandResult({ result, seats, session }) {
  const [run, { busy, error }] = useAction();
  const [corrected, correct] = useState(null);
  const id = session ?? state.status?.session?.id;
  const present = state.status?.session;
  const correctable = may("dealer") && present?.id === id && present.follow === "result" && !result.abandoned;
  const payee = (seat) => (seat === null || seat === undefined ? t("results.bank") : seats(seat));
  return html`<li>
    <p class="over">${[t("results.hand", { number: result.number }), result.abandoned && t("results.abandoned"), ...reportWords(result, id)].filter(Boolean).join(" · ")}</p>
    <p class="sentence" lang="en">${named(state.status, result.sentence)}</p>
    ${result.payments.length > 0 &&
    html`<ul class="payments">${result.payments.map(
      (payment) => html`<li><span>${payee(payment.payer)} → ${payee(payment.payee)}</span><b>${number(payment.amount)}</b>
        <small lang="en">${named(state.status, payment.why)}</small></li>`,
    )}</ul>`}
    <div class="hand-actions"><a href=${replayAddress(id, result.number)} target="_blank" rel="noopener"
        aria-label=${t("results.replay_of", { number: result.number })}>${t("results.replay")}</a>
      <button class="quiet small" disabled=${busy} aria-label=${t("results.case_of", { number: result.number })}
        onClick=${() => run(() => openRecordedCase(id, result.number))}><${Icon} name="judge" />${t("results.case")}</button>
      ${correctable && html`<button class="quiet small" disabled=${busy} aria-label=${t("results.correct_of", { number: result.number })}
        onClick=${() => run(async () => correct(await api.resultForm(id, result.number)))}>${t("results.correct")}</button>`}
      <button class="quiet small" disabled=${busy} aria-label=${t("results.receipt_of", { number: result.number })}
        onClick=${() => run(() => api.saveReceipt(id, result.number))}>${t("results.receipt")}</button></div>
    <${Notice} error=${error} />
    ${corrected && html`<${ResultCorrection} question=${corrected} close=${() => correct(null)} />`}
    ${result.chance && html`<p class="detail hash">${t("chance.revealed", result.chance)}</p>`}
    ${result.reasons.length > 0 &&
    html`<details><summary>${t("results.reasons")}</summary>
      <ul class="reasons" lang="en">${result.reasons.map((reason) => html`<li>${named(state.status, reason)}</li>`)}</ul></details>`}
  </li>`;
}
