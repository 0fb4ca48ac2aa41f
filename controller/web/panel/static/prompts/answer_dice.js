/** Enters thrown dice by tapping their faces, for tables that cannot read their dice. */
import { t } from "../data/messages.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Icon } from "../frame/icons.js";
import { Die } from "../session/now_card.js";
import { answerWords } from "./answer_words.js";

const FACES = [1, 2, 3, 4, 5, 6];
/** Faces that can be entered if the prompt does not say how many it needs. */
const MOST = 6;

export function AnswerDice({ prompt, busy, answer }) {
  const [faces, set] = useState([]);
  const needed = prompt.dice || MOST;
  const add = (face) => set((before) => (before.length < needed ? [...before, face] : before));
  return html`<div class="answer-dice">
    <div class="entered" role="status" aria-label=${t("dice.entered", { faces: faces.join(", ") })}>
      ${faces.length ? faces.map((face) => html`<${Die} face=${face} />`) : html`<span class="empty">${t("dice.none")}</span>`}
    </div>
    <div class="pad" role="group" aria-label=${t("dice.tap")}>
      ${FACES.map(
        (face) => html`<button type="button" disabled=${busy} aria-disabled=${faces.length >= needed} aria-label=${t("dice.face", { face })} onClick=${() => add(face)}>
          <${Die} face=${face} /></button>`,
      )}
    </div>
    <div class="actions">
      <button class="primary" disabled=${busy || !faces.length || (prompt.dice > 0 && faces.length < prompt.dice)} onClick=${() => answer(faces.join(","))}>${t("answer.send")}</button>
      <button disabled=${busy || !faces.length} onClick=${() => set((before) => before.slice(0, -1))}><${Icon} name="back" />${t("answer.undo")}</button>
      ${prompt.choices.map((choice) => html`<button disabled=${busy} onClick=${() => answer(choice.value)}>${answerWords(choice)}</button>`)}
    </div>
  </div>`;
}
