/** The results of the session's hands in words, the scores, and who owes whom. */
import { replayAddress } from "../api.js";
import { number, t } from "../data/messages.js";
import { state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";
import { html } from "../vendor/htm_preact.js";
import { Empty } from "../frame/notice.js";
import { Icon } from "../frame/icons.js";
import { openJudge } from "./open_judge.js";

export function Results() {
  const session = state.status?.session;
  if (!session) return html`<section class="card"><h2>${t("results.title")}</h2><${Empty}>${t("results.no_session")}<//></section>`;
  const latest = [...session.results].sort((a, b) => b.number - a.number);
  return html`<${Debts} debts=${session.debts} />
    <section class="card">
      <div class="card-head"><h2>${t("results.title")}</h2>
        <button class="quiet" onClick=${openJudge}><${Icon} name="judge" />${t("results.judge")}</button></div>
      ${!latest.length && html`<${Empty}>${t(session.follow_play ? "results.none" : "results.not_followed")}<//>`}
      <ol class="results" reversed>
        ${latest.map((result) => html`<${HandResult} key=${result.number} result=${result} seats=${(seat) => seatWords(state.status, seat)} />`)}
      </ol>
    </section>`;
}

/** Who owes whom, as one sentence a debt. */
function Debts({ debts }) {
  if (!debts.length) return null;
  return html`<section class="card">
    <h2>${t("debts.title")}</h2>
    <ul class="debts">${debts.map(
      (debt) => html`<li><span>${t("debts.line", { debtor: debt.debtor, creditor: debt.creditor })}</span><b>${number(debt.amount)}</b></li>`,
    )}</ul>
  </section>`;
}

/** One hand: its sentence, its payments and its reasons; `seats(seat)` names a seat. */
export function HandResult({ result, seats, session }) {
  const payee = (seat) => (seat === null || seat === undefined ? t("results.bank") : seats(seat));
  return html`<li>
    <p class="over">${t("results.hand", { number: result.number })}${result.abandoned && ` · ${t("results.abandoned")}`}</p>
    <p class="sentence" lang="en">${named(state.status, result.sentence)}</p>
    ${result.payments.length > 0 &&
    html`<ul class="payments">${result.payments.map(
      (payment) => html`<li><span>${payee(payment.payer)} → ${payee(payment.payee)}</span><b>${number(payment.amount)}</b>
        <small lang="en">${named(state.status, payment.why)}</small></li>`,
    )}</ul>`}
    <p class="hint"><a href=${replayAddress(session ?? state.status?.session?.id, result.number)} target="_blank" rel="noopener"
      aria-label=${t("results.replay_of", { number: result.number })}>${t("results.replay")}</a></p>
    ${result.reasons.length > 0 &&
    html`<details><summary>${t("results.reasons")}</summary>
      <ul class="reasons" lang="en">${result.reasons.map((reason) => html`<li>${named(state.status, reason)}</li>`)}</ul></details>`}
  </li>`;
}
