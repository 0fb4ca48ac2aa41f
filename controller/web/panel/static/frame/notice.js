/** Short messages in the page: errors with their next step, confirmations, empty lists. */
import { t } from "../data/messages.js";
import { html } from "../vendor/htm_preact.js";

/** An error of the API: a sentence and the next step. Nothing without an error. */
export function Notice({ error }) {
  if (!error) return null;
  const sentence = error.message || t(error.status === 0 ? "error.no_reply" : "error.unknown");
  const next = error.nextStep || (error.status === 0 ? t("error.no_reply.next") : "");
  return html`<p class="notice fault" role="alert">
    <strong lang=${error.message ? "en" : null}>${sentence}</strong>
    ${next && html` <span lang=${error.nextStep ? "en" : null}>${next}</span>`}
  </p>`;
}

/** A sentence for a list that has no entries. */
export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;
