/** The stored events of a table, latest first. */
import { api } from "../api.js";
import { dateTime, t } from "../data/messages.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useEffect, useRef, useState } from "../vendor/htm_preact.js";

export function History({ table }) {
  const [run, { busy, error }] = useAction();
  const [everything, setEverything] = useState(false);
  const [shown, show] = useState({ events: [], older: "", loaded: false });
  const latest = useRef(0);
  const load = (before, all) =>
    run(async () => {
      const turn = (latest.current += 1);
      const page = await api.history(table, before, all);
      if (turn !== latest.current) return; // another list was asked for meanwhile
      show((present) => ({ events: before ? [...present.events, ...page.events] : page.events, older: page.older, loaded: true }));
    });
  useEffect(() => {
    show((present) => ({ ...present, older: "" })); // of the list that is shown until the reply
    load("", everything);
  }, [everything]);
  return html`<section class="card history">
    <div class="card-head">
      <h2>${t("history.title")}</h2>
      <label class="check"><input type="checkbox" class="switch" checked=${everything} onChange=${(event) => setEverything(event.target.checked)} />
        <span>${t("history.everything")}</span></label>
      <button class="small" disabled=${busy} onClick=${() => load("", everything)}>${t("history.reload")}</button>
    </div>
    <${Notice} error=${error} />
    ${shown.loaded && shown.events.length === 0 && html`<p class="empty">${t("history.none")}</p>`}
    <ol class="events">
      ${shown.events.map(
        (event) => html`<li key=${`${event.log}.${event.number}`} class=${event.kind}>
          <time datetime=${event.at}>${dateTime(event.at)}</time>
          <span><span lang="en">${event.text}</span>
            ${event.who && html` <small>${event.who}</small>`}
            ${event.acknowledged && html` <small>${t("history.acknowledged", { who: event.acknowledged })}</small>`}</span>
        </li>`,
      )}
    </ol>
    ${shown.older && html`<div class="actions"><button disabled=${busy} onClick=${() => load(shown.older, everything)}>${t("history.older")}</button></div>`}
  </section>`;
}
