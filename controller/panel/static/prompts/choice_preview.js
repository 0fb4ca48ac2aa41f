/** The container of the preview of a choice: how a cut deals the pile, before it is chosen. */
import { html } from "../vendor/htm_preact.js";

/** `question` is what is chosen, such as `cut`; `answer` the choice that is looked at. */
export function ChoicePreview({ question, answer }) {
  return html`<figure class="choice-preview" id="choice-preview" data-question=${question} data-answer=${answer}></figure>`;
}
