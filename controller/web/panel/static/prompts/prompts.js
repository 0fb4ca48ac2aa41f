/** The open prompts, the most urgent first, each with the means to answer it. */
import { command } from "../api.js";
import { duration, t, tOr } from "../data/messages.js";
import { may, state, tableTime } from "../data/store.js";
import { faultTitle, orderedPrompts, seatWords } from "../data/words.js";
import { useAction, useTick } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html } from "../vendor/htm_preact.js";
import { AnswerChoice } from "./answer_choice.js";
import { AnswerDice } from "./answer_dice.js";
import { AnswerFace } from "./answer_face.js";
import { answerWords } from "./answer_words.js";
import { headingOf, tableWords } from "./prompt_heading.js";

const ANSWERS = { choice: AnswerChoice, act: AnswerChoice, dice: AnswerDice, face: AnswerFace };
/** Seconds after which a prompt shows how long it has waited. */
const LONG = 20;

/** All open prompts, or those of some kinds. */
export function Prompts({ kinds }) {
  const open = orderedPrompts(state.status).filter((prompt) => !kinds || kinds.includes(prompt.kind));
  return html`<div id="prompts" tabindex="-1" role="region" aria-label=${t("prompts.label")}>
    ${open.map((prompt) => html`<${Prompt} key=${prompt.id} prompt=${prompt} />`)}
  </div>`;
}

function Prompt({ prompt }) {
  useTick(5000);
  const waits = tableTime() - prompt.since;
  const fault = prompt.kind === "fault";
  const heading = headingOf(prompt);
  return html`<article class=${`prompt is-${prompt.kind} ${prompt.safety ? "safety" : ""}`} aria-labelledby=${`prompt-${prompt.id}`}>
    <p class="over">
      <span>${fault ? faultTitle(prompt.code) : tOr(`prompt.${prompt.kind}`, prompt.kind)}</span>
      ${prompt.part && html`<span lang="en">${prompt.part}</span>`}
      ${prompt.seats.length > 0 && prompt.kind !== "act" && html`<span>${prompt.seats.map((seat) => seatWords(state.status, seat)).join("; ")}</span>`}
      ${waits >= LONG && html`<span class="waits">${t("prompt.waits", { time: duration(waits) })}</span>`}
    </p>
    <h3 id=${`prompt-${prompt.id}`} lang=${heading ? null : "en"}>${heading || tableWords(prompt)}</h3>
    ${prompt.evidence && html`<p class="evidence" lang="en">${prompt.evidence}</p>`}
    <${PromptAnswer} prompt=${prompt} />
  </article>`;
}

/** The means to answer a prompt, or the reason why this client cannot answer it. */
export function PromptAnswer({ prompt }) {
  const [run, { busy, error }] = useAction();
  const answer = (value) => run(() => command("answer", { prompt: prompt.id, value }));
  // A timer can draw this after the login has ended, before the page for signing in is drawn.
  const { lead } = state.status ?? {};
  if (!may(prompt.role)) {
    return html`<p class="needs-role">${t("prompt.needs_role", { role: t(`role.${prompt.role}`) })}</p>`;
  }
  if (prompt.kind === "fault" && lead && lead.client !== state.me?.client) {
    return html`<p class="needs-role">${t("prompt.led_by", { name: lead.name })}</p>`;
  }
  const Answer = ANSWERS[prompt.kind] ?? AnswerButtons;
  return html`<${Answer} prompt=${prompt} busy=${busy} answer=${answer} /><${Notice} error=${error} />`;
}

/** One button for each answer. */
const AnswerButtons = ({ prompt, busy, answer }) => html`<div class="actions">
  ${prompt.choices.map(
    (choice, index) => html`<button class=${index === 0 ? "primary" : ""} disabled=${busy} onClick=${() => answer(choice.value)}>
      ${answerWords(choice)}</button>`,
  )}
</div>`;
