/** Answers a question with a list of choices: few as buttons, many as a list, a cut with a preview. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { plainWords, seatWords } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { answerWords } from "./answer_words.js";
import { ChoicePreview } from "./choice_preview.js";

/** Up to this number of choices, one tap answers. */
const FEW = 4;
/** Above this number of choices, a field searches them. */
const MANY = 12;

export function AnswerChoice({ prompt, busy, answer }) {
  const [picked, pick] = useState(prompt.default || prompt.choices[0]?.value || "");
  const [typed, type] = useState("");
  const [search, seek] = useState("");
  const previewed = prompt.kind === "choice";
  if (prompt.choices.length <= FEW && !prompt.more && !previewed) {
    return html`<div class="actions">
      ${prompt.choices.map(
        (choice) => html`<button class=${choice.value === prompt.default ? "primary" : ""} disabled=${busy} onClick=${() => answer(choice.value)}>
          ${wordsOf(prompt, choice)}</button>`,
      )}
    </div>`;
  }
  const wanted = search.trim().toLowerCase();
  const shown = prompt.choices.filter((choice) => `${wordsOf(prompt, choice)} ${choice.value}`.toLowerCase().includes(wanted));
  const send = (event) => {
    event.preventDefault();
    answer(typed.trim() || picked);
  };
  return html`<form onSubmit=${send}>
    ${prompt.choices.length > MANY &&
    html`<label class="field"><span>${t("answer.search")}</span>
      <input type="search" value=${search} onInput=${(event) => seek(event.target.value)} /></label>`}
    ${groups(prompt, shown).map(
      ([seat, choices]) => html`<fieldset class="options" key=${seat}>
        <legend class=${seat ? "" : "unseen"}>${seat ? seatWords(state.status, Number(seat)) : prompt.text}</legend>
        ${choices.map(
          (choice) => html`<label key=${choice.value} class="option">
            <input type="radio" name=${prompt.id} checked=${picked === choice.value && !typed} onChange=${() => (pick(choice.value), type(""))} />
            <span>${wordsOf(prompt, choice)}${choice.value === prompt.default && html` <small>${t("answer.usual")}</small>`}</span></label>`,
        )}
      </fieldset>`,
    )}
    ${prompt.more &&
    html`<label class="field"><span>${t("answer.other")}</span>
      <input value=${typed} maxlength="500" autocomplete="off" onInput=${(event) => type(event.target.value)} /></label>`}
    ${previewed && html`<${ChoicePreview} question=${prompt.code} answer=${picked} />`}
    <div class="actions">
      <button class="primary" disabled=${busy || (!typed.trim() && !picked)}>${t("answer.choose")}</button>
    </div>
  </form>`;
}

/** An answer in words: names such as `chee_yee` are written without their underscores. */
function wordsOf(prompt, choice) {
  const words = answerWords(choice);
  return prompt.kind === "choice" && /^[a-z]+(_[a-z]+)*$/.test(words) ? plainWords(words) : words;
}

/** The actions by the seat with which their values begin; one group for any other choice. */
function groups(prompt, choices) {
  const found = new Map();
  for (const choice of choices) {
    const seat = prompt.kind === "act" ? (/^(\d+) /.exec(choice.value)?.[1] ?? "") : "";
    found.set(seat, [...(found.get(seat) ?? []), choice]);
  }
  return [...found];
}
