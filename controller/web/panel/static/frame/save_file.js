/** A button that saves a file of the table, with its progress and its errors. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { html } from "../vendor/htm_preact.js";
import { useAction } from "./hooks.js";
import { Notice } from "./notice.js";

export function SaveFile({ path, name, words }) {
  const [run, { busy, error }] = useAction();
  return html`<div class="actions"><button type="button" disabled=${busy} onClick=${() => run(() => api.save(path, name))}>${busy ? t("file.busy") : words}</button></div>
    <${Notice} error=${error} />`;
}
