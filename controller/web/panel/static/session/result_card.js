/** The question for the result of the hand that is over, and the correction of an earlier hand. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { named } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { ResultForm, fieldWords, wordsOfResult } from "./result_form.js";

export function ResultCard() {
  const question = state.status?.question;
  if (!question || !may("player")) return null;
  return html`<${OpenQuestion} key=${`${question.session} ${question.hand}`} question=${question} />`;
}

/** The seats of a question by their number, or of the present session if it has none. */
const seatsOf = (question) => Object.fromEntries(question.seats.map((each) => [each.seat, each]));

function OpenQuestion({ question }) {
  const [taken, take] = useState(null);
  const [again, ask] = useState(null);
  const { form, hand } = question;
  const seats = seatsOf(question);
  const result = question.result ?? taken;
  const send = async (given) => {
    await command("report_result", { result: given });
    take(given);
    ask(null);
  };
  return html`<section class=${`result-card ${question.overdue ? "overdue" : ""}`} aria-label=${t("result.title", { hand })}>
    <p class="over"><span>${t("result.title", { hand })}</span>${question.overdue && html`<span class="waits">${t("result.overdue")}</span>`}</p>
    ${result && !again
      ? html`<${Reported} question=${question} result=${result} seats=${seats} ask=${ask} />`
      : html`<${ResultForm} key=${again ?? ""} form=${form} seats=${seats} result=${again === "points" ? result : null} send=${send}>
          ${again && html`<div class="actions"><button type="button" onClick=${() => ask(null)}>${t("dialog.cancel")}</button></div>`}
        <//>`}
  </section>`;
}

/** Asks for the right result of an earlier hand, with the reason; the button reports it. */
export function ResultCorrection({ question, close }) {
  const [reason, setReason] = useState("");
  const { form, hand } = question;
  const send = async (result) => {
    await command("report_result", { result, hand, reason: reason.trim() });
    close();
  };
  return html`<section class="result-card" aria-label=${t("result.title", { hand })}>
    <${ResultForm} form=${form} seats=${seatsOf(question)} lasts=${true} send=${send}>
      <label class="field"><span>${t("result.reason")}</span>
        <input maxlength="200" required value=${reason} autocomplete="off" onInput=${(event) => setReason(event.target.value)} /></label>
    <//>
    <div class="actions"><button type="button" onClick=${close}>${t("dialog.cancel")}</button></div>
  </section>`;
}

/** What was reported: the table's sentence, and the way to report again. */
function Reported({ question, result, seats, ask }) {
  const { session } = state.status;
  const told = session?.id === question.session && session.results.find((each) => each.number === question.hand && each.result);
  const counts = question.form.fields.some((field) => field.depth === "amount");
  return html`<div role="status">${told
      ? html`<p class="sentence" lang="en">${named(state.status, told.sentence)}</p>`
      : html`<p class="sentence">${wordsOfResult(question.form, result, seats).map(({ field, words }) => `${fieldWords(field)} ${words}`).join(" · ")}</p>`}
      ${told && !told.counted && html`<p class="hint">${t("results.not_counted")}</p>`}</div>
    <div class="actions"><button onClick=${() => ask("change")}>${t("result.change")}</button>
      ${counts && html`<button onClick=${() => ask("points")}>${t("result.points")}</button>`}</div>`;
}
