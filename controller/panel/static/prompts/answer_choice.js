/** Answers a question with a list of choices: few as buttons, many as a list with a preview. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { html, useState } from "../vendor/htm_preact.js";
import { ChoicePreview } from "./choice_preview.js";

/** Up to this number of choices, one tap answers. */
const FEW = 4;

export function AnswerChoice({ prompt, busy, answer }) {
  const [picked, pick] = useState(prompt.default || prompt.choices[0]?.value || "");
  const [typed, type] = useState("");
  const [search, seek] = useState("");
  const previewed = prompt.kind === "choice" && state.status.round !== null && prompt.code === "cut";
  if (prompt.choices.length <= FEW && !prompt.more && !previewed) {
    return html`<div class="actions">
      ${prompt.choices.map(
        ({ value, label }) => html`<button class=${value === prompt.default ? "primary" : ""} disabled=${busy} onClick=${() => answer(value)}>
          ${label}</button>`,
      )}
    </div>`;
  }
  const wanted = search.trim().toLowerCase();
  const shown = prompt.choices.filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted));
  const send = (event) => {
    event.preventDefault();
    answer(typed.trim() || picked);
  };
  return html`<form onSubmit=${send}>
    ${previewed && html`<${ChoicePreview} question=${prompt.code} answer=${picked} />`}
    ${prompt.choices.length > 12 &&
    html`<label class="field"><span>${t("answer.search")}</span>
      <input type="search" value=${search} onInput=${(event) => seek(event.target.value)} /></label>`}
    <fieldset class="options">
      <legend class="unseen">${prompt.text}</legend>
      ${shown.map(
        ({ value, label }) => html`<label key=${value} class="option">
          <input type="radio" name=${prompt.id} checked=${picked === value && !typed} onChange=${() => (pick(value), type(""))} />
          <span>${label}${value === prompt.default && html` <small>${t("answer.usual")}</small>`}</span></label>`,
      )}
    </fieldset>
    ${prompt.more &&
    html`<label class="field"><span>${t("answer.other")}</span>
      <input value=${typed} maxlength="500" autocomplete="off" onInput=${(event) => type(event.target.value)} /></label>`}
    <div class="actions">
      <button class="primary" disabled=${busy || (!typed.trim() && !picked)}>${t("answer.choose")}</button>
    </div>
  </form>`;
}
