/** Language, theme, and who is signed in. */
import { api } from "../api.js";
import { changeLanguage, presentLanguage, t } from "../data/messages.js";
import { LANGUAGES, THEMES, applyTheme, languageTag, recall, remember } from "../data/settings.js";
import { change, state } from "../data/store.js";
import { html } from "../vendor/htm_preact.js";
import { Dialog } from "./dialog.js";
import { useAction } from "./hooks.js";
import { Notice } from "./notice.js";

/** End the login. Raises ApiError; that the table does not know the login any more is no error. */
async function endLogin() {
  try {
    await api.logout();
  } catch (error) {
    if (error.status !== 401) throw error;
  }
}

export function SettingsDialog({ app, close }) {
  const [run, { error }] = useAction();
  const setLanguage = (next) => run(() => changeLanguage(next).then(() => change({})));
  const setTheme = (theme) => {
    applyTheme(theme);
    remember("theme", theme);
    change({});
  };
  const signOut = async () => {
    if (!(await run(endLogin))) return;
    close();
    app.leave();
  };
  return html`<${Dialog} title=${t("settings.title")} close=${close}>
    <fieldset class="segments">
      <legend>${t("settings.language")}</legend>
      ${Object.entries(LANGUAGES).map(
        ([code, name]) => html`<label lang=${languageTag(code)}>
          <input type="radio" name="language" checked=${presentLanguage() === code} onChange=${() => setLanguage(code)} />
          <span>${name}</span></label>`,
      )}
    </fieldset>
    <fieldset class="segments">
      <legend>${t("settings.theme")}</legend>
      ${THEMES.map(
        (theme) => html`<label>
          <input type="radio" name="theme" checked=${recall("theme", "system") === theme} onChange=${() => setTheme(theme)} />
          <span>${t(`theme.${theme}`)}</span></label>`,
      )}
    </fieldset>
    ${state.me &&
    html`<section class="signed-in">
      <p>${t("settings.signed_in", { name: state.me.name, role: t(`role.${state.me.role}`) })}</p>
      <button onClick=${signOut}>${t("settings.sign_out")}</button>
    </section>`}
    <${Notice} error=${error} />
    ${state.status && html`<p class="version">Wallwright ${state.status.table.software}</p>`}
  <//>`;
}
