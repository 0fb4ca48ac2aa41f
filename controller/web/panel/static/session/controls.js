/** The keys of the table: take the tiles in, pause or resume, end the session. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { html, useState } from "../vendor/htm_preact.js";
import { Confirm } from "../frame/dialog.js";
import { useAction } from "../frame/hooks.js";
import { Icon } from "../frame/icons.js";
import { Notice } from "../frame/notice.js";

export function Controls() {
  const [run, { busy, error }] = useAction();
  const [asking, ask] = useState(false);
  const status = state.status;
  if (!status || !may("player")) return null;
  const give = (name, values) => () => run(() => command(name, values));
  const paused = status.pause.length > 0;
  const playing = Boolean(status.session);
  const { top, under } = status.machine ?? {};
  // While a set is prepared, the key opens the lid for a forgotten tile, and closes it.
  const preparing = ["shuffling", "building"].includes(under) && top !== "playing";
  const meaning =
    top === "collecting" || under === "gathering" ? "controls.tiles_are_in"
    : status.scene?.lid_open ? "controls.close_lid"
    : preparing ? "controls.open_lid"
    : "controls.lid_key";
  return html`<section class="controls" aria-label=${t("controls.label")}>
    <div class="actions">
      ${playing &&
      html`<button class="key" disabled=${busy} onClick=${give("press_lid_key")}>
        <${Icon} name="tiles" />${t(meaning)}</button>`}
      ${paused
        ? html`<button class="key primary" disabled=${busy} onClick=${give("resume")}>
            <${Icon} name="play" />${t("controls.resume")}</button>`
        : playing && html`<button class="key" disabled=${busy} onClick=${give("pause")}>
            <${Icon} name="pause" />${t("controls.pause")}</button>`}
      ${playing &&
      !status.session.ending &&
      html`<button class="key" disabled=${busy} onClick=${() => ask(true)}>
        <${Icon} name="end" />${t("controls.end_session")}</button>`}
    </div>
    <${Notice} error=${error} />
    ${asking &&
    html`<${Confirm} question=${t("controls.end_question")} detail=${t("controls.end_detail")}
      action=${t("controls.end_session")} close=${() => ask(false)} act=${give("end_session")} />`}
  </section>`;
}
