/** The open prompts, the most urgent first, each with the means to answer it. */
import { command } from "../api.js";
import { t, tOr } from "../data/messages.js";
import { may, state, tableTime } from "../data/store.js";
import { orderedPrompts, seatWords } from "../data/words.js";
import { html } from "../vendor/htm_preact.js";
import { AnswerChoice } from "./answer_choice.js";
import { AnswerDice } from "./answer_dice.js";
import { AnswerFace } from "./answer_face.js";
import { useAction, useTick } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { duration } from "../data/messages.js";

const ANSWERS = { choice: AnswerChoice, act: AnswerChoice, dice: AnswerDice, face: AnswerFace };

/** Prompts of these kinds, or all; `faults` false leaves those to the attendant's view. */
export function Prompts({ kinds }) {
  const open = orderedPrompts(state.status).filter((prompt) => !kinds || kinds.includes(prompt.kind));
  return html`<div id="prompts" tabindex="-1" role="region" aria-label=${t("prompts.label")}>
    ${open.map((prompt) => html`<${Prompt} key=${prompt.id} prompt=${prompt} />`)}
  </div>`;
}

function Prompt({ prompt }) {
  const [run, { busy, error }] = useAction();
  useTick(5000);
  const answer = (value) => run(() => command("answer", { prompt: prompt.id, value }));
  const waits = tableTime() - prompt.since;
  const Answer = ANSWERS[prompt.kind] ?? AnswerButtons;
  const led = prompt.kind === "fault" && state.status.lead && state.status.lead.client !== state.me?.client;
  return html`<article class=${`prompt is-${prompt.kind} ${prompt.safety ? "safety" : ""}`} aria-labelledby=${`prompt-${prompt.id}`}>
    <p class="over">
      <span>${tOr(`prompt.${prompt.kind}`, prompt.kind)}</span>
      ${prompt.seats.length > 0 && html`<span>${prompt.seats.map((seat) => seatWords(state.status, seat)).join(", ")}</span>`}
      ${waits >= 20 && html`<span class="waits">${t("prompt.waits", { time: duration(waits) })}</span>`}
    </p>
    <h3 id=${`prompt-${prompt.id}`} lang="en">${prompt.text}</h3>
    ${prompt.request && prompt.request !== prompt.text && html`<p lang="en">${prompt.request}</p>`}
    ${prompt.evidence && html`<p class="evidence" lang="en">${prompt.evidence}</p>`}
    ${!may(prompt.role)
      ? html`<p class="needs-role">${t("prompt.needs_role", { role: t(`role.${prompt.role}`) })}</p>`
      : led
        ? html`<p class="needs-role">${t("prompt.led_by", { name: state.status.lead.name })}</p>`
        : html`<${Answer} prompt=${prompt} busy=${busy} answer=${answer} />`}
    <${Notice} error=${error} />
  </article>`;
}

/** One button for each answer; a step without answers is confirmed by one button. */
function AnswerButtons({ prompt, busy, answer }) {
  const offered = prompt.choices.length ? prompt.choices : [{ value: prompt.default || "done", label: t("answer.done") }];
  return html`<div class="actions">
    ${offered.map(
      (choice, index) => html`<button class=${index === 0 ? "primary" : ""} disabled=${busy} onClick=${() => answer(choice.value)}>
        ${answerWords(choice)}</button>`,
    )}
  </div>`;
}

/** The usual answers in the present language; every other answer as the table words it. */
const answerWords = ({ value, label }) => (label.toLowerCase() === value ? tOr(`answer.${value}`, label) : label);
