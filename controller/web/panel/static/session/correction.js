/** Takes back the last acts of the hand that the table follows, because one was entered wrongly. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";
import { Confirm } from "../frame/dialog.js";
import { useAction } from "../frame/hooks.js";
import { Empty, Notice } from "../frame/notice.js";
import { actionWords } from "../prompts/action_words.js";
import { html, useState } from "../vendor/htm_preact.js";

/** The number of acts of the hand, and the list of those that this page knows. */
const entered = () => ({ taken: state.status?.round?.acts ?? 0, list: state.acts });

export function Correction() {
  const [acts, setActs] = useState(1);
  const [reason, setReason] = useState("");
  const [asked, ask] = useState(null);
  const [late, setLate] = useState(false);
  const [run, { busy, error, done }] = useAction();
  // The person decides on the acts of the time at which the dialog has opened.
  const { taken, list } = asked ?? entered();
  const latest = list.slice(-Math.max(acts + 3, 8)).reverse();
  const give = () => {
    if (JSON.stringify(entered()) !== JSON.stringify(asked)) setLate(true);
    else run(() => command("correct", { acts, reason: reason.trim() }));
  };
  const submit = (event) => {
    event.preventDefault();
    setLate(false);
    ask(entered());
  };
  if (!taken) return html`<section class="card"><h2>${t("correction.title")}</h2><${Empty}>${t("correction.none")}<//>
    <${Done} reply=${done} /></section>`;
  return html`<form class="card" onSubmit=${submit}>
    <h2>${t("correction.title")}</h2>
    <p class="hint">${t("correction.what")}</p>
    <label class="field"><span>${t("correction.acts", { taken })}</span>
      <input type="number" min="1" max=${taken} required value=${acts} onInput=${(event) => setActs(Number(event.target.value) || 1)} /></label>
    ${latest.length > 0 &&
    html`<ol class="acts" aria-label=${t("correction.latest")}>
      ${latest.map(
        (act, index) => html`<li class=${index < acts ? "taken-back" : ""} >${seatWords(state.status, act.seat)}: ${actionWords(act.do)}
          ${index < acts && html` <small class="mark">${t("correction.goes")}</small>`}</li>`,
      )}
    </ol>`}
    <label class="field"><span>${t("correction.reason")}</span>
      <input maxlength="200" value=${reason} autocomplete="off" onInput=${(event) => setReason(event.target.value)} /></label>
    <div class="actions"><button class="primary" disabled=${busy}>${t("correction.go", { acts })}</button></div>
    ${late && html`<p class="notice fault" role="alert">${t("correction.changed")}</p>`}
    <${Notice} error=${error} />
    <${Done} reply=${done} />
    ${asked &&
    html`<${Confirm} question=${t("correction.question", { acts })} detail=${t("correction.detail")} action=${t("correction.go", { acts })}
      close=${() => ask(null)} act=${give} />`}
  </form>`;
}

/** What the table says about the correction, such as which tiles have to be moved back. */
const Done = ({ reply }) =>
  reply?.sentence ? html`<p class="notice done" role="status" lang="en">${named(state.status, reply.sentence)}</p>` : null;
