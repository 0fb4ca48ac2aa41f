/** Whether the page receives the table's status: a lamp in the header, a banner when it is lost. */
import { announceAlert } from "../data/announcements.js";
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { html, useEffect } from "../vendor/htm_preact.js";

export function Connection() {
  const lost = state.connection === "lost";
  useEffect(() => {
    if (lost) announceAlert(`${t("connection.lost")} ${t("connection.lost.next")}`);
  }, [lost]);
  return html`<p class="connection ${state.connection}">
      <span class="lamp" aria-hidden="true"></span><span class="words">${t(`connection.${state.connection}`)}</span>
    </p>
    ${lost && html`<div class="banner" id="connection-lost">
      <strong>${t("connection.lost")}</strong> <span>${t("connection.lost.next")}</span>
    </div>`}`;
}
