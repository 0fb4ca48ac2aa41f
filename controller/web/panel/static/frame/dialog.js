/** A modal dialog; the browser keeps the keyboard inside it and Escape closes it. */
import { t } from "../data/messages.js";
import { html, useEffect, useRef } from "../vendor/htm_preact.js";
import { Icon } from "./icons.js";
import { restoreSoon } from "./kept_focus.js";

export function Dialog({ title, close, children }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.showModal();
    return restoreSoon;
  }, []);
  const outside = (event) => {
    if (event.target === element.current) close();
  };
  return html`<dialog ref=${element} class="dialog" aria-label=${title} onClose=${close} onMouseDown=${outside}>
    <div class="dialog-body">
      <div class="dialog-head">
        <h2>${title}</h2>
        <button class="quiet icon-only" aria-label=${t("dialog.close")} onClick=${close}><${Icon} name="close" /></button>
      </div>
      ${children}
    </div>
  </dialog>`;
}

/** Asks before an action that is not easily undone: the question, and the name of the action. */
export function Confirm({ question, detail, action, close, act }) {
  const go = () => {
    close();
    act();
  };
  return html`<${Dialog} title=${question} close=${close}>
    ${detail && html`<p>${detail}</p>`}
    <div class="actions">
      <button class="primary" onClick=${go}>${action}</button>
      <button onClick=${close}>${t("dialog.cancel")}</button>
    </div>
  <//>`;
}
