/** Enters thrown dice by tapping their faces, for tables that cannot read their dice. */
import { t } from "../data/messages.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Icon } from "../frame/icons.js";
import { Die } from "../session/now_card.js";

const FACES = [1, 2, 3, 4, 5, 6];
const MOST = 3;

export function AnswerDice({ prompt, busy, answer }) {
  const [faces, set] = useState([]);
  const add = (face) => set((before) => (before.length < MOST ? [...before, face] : before));
  return html`<div class="answer-dice">
    <div class="entered" role="status" aria-label=${t("dice.entered", { faces: faces.join(", ") })}>
      ${faces.length ? faces.map((face) => html`<${Die} face=${face} />`) : html`<span class="empty">${t("dice.none")}</span>`}
    </div>
    <div class="pad" role="group" aria-label=${t("dice.tap")}>
      ${FACES.map(
        (face) => html`<button type="button" disabled=${busy} aria-label=${t("dice.face", { face })} onClick=${() => add(face)}>
          <${Die} face=${face} /></button>`,
      )}
    </div>
    <div class="actions">
      <button class="primary" disabled=${busy || !faces.length} onClick=${() => answer(faces.join(","))}>${t("answer.send")}</button>
      <button disabled=${busy || !faces.length} onClick=${() => set(faces.slice(0, -1))}><${Icon} name="back" />${t("answer.undo")}</button>
      ${prompt.default && html`<button disabled=${busy} onClick=${() => answer(prompt.default)}>${prompt.default}</button>`}
    </div>
  </div>`;
}
