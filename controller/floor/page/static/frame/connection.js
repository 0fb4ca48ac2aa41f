/** Whether the page receives the room: a lamp in the header, and banners for what is missing. */
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
  </p>`;
}

/** Sentences above the view about what the floor or this page does not receive. */
export function Banners() {
  const lost = state.connection === "lost";
  return html`<div class="banners">
    ${lost && html`<p class="notice fault" id="connection-lost"><strong>${t("connection.lost")}</strong> ${t("connection.lost.next")}</p>`}
    ${!lost && !state.broker && html`<p class="notice fault"><strong>${t("floor.no_broker")}</strong> ${t("floor.no_broker.next")}</p>`}
    ${!lost && !state.database && html`<p class="notice"><strong>${t("floor.no_database")}</strong> ${t("floor.no_database.next")}</p>`}
  </div>`;
}
