/** The preview of a choice: how the table deals after it, such as a cut, on a small picture. */
import { api } from "../api.js";
import { t, pictureWords } from "../data/messages.js";
import { state } from "../data/store.js";
import { useLoaded } from "../frame/hooks.js";
import { mountTable } from "../scene/table_scene.js";
import { choiceWords } from "./answer_words.js";
import { html, useEffect, useRef } from "../vendor/htm_preact.js";

/** `question` is what is chosen, such as `cut`; `answer` is the choice that is looked at. */
export function ChoicePreview({ question, answer }) {
  const now = state.status?.programme?.now ?? null;
  const dealt = useLoaded(() => (now && answer ? loadPreview(now, question, answer) : null), [question, answer]);
  if (!now || dealt.error) return null;
  return html`<figure class="choice-preview" id="choice-preview" data-question=${question} data-answer=${answer}>
    ${dealt.value ? html`<${Played} deal=${dealt.value} />` : html`<div class="picture-frame waiting"></div>`}
    <figcaption>${t("preview.caption", { choice: choiceWords(question, answer) })}</figcaption>
  </figure>`;
}

/** The deal that follows from the game now, the choices made in this round, and this answer. */
async function loadPreview(now, question, answer) {
  const made = state.status?.round?.choices ?? {};
  const value = /^-?\d+$/.test(answer) ? Number(answer) : answer;
  return api.preview({ ...now, answers: { ...now.answers, ...made, [question]: value } });
}

function Played({ deal }) {
  const container = useRef(null);
  useEffect(() => {
    const picture = mountTable(container.current, deal.geometry, { messages: pictureWords() });
    picture.preview(deal);
    return () => picture.destroy();
  }, [deal]);
  return html`<div class="picture-frame" ref=${container}></div>`;
}
