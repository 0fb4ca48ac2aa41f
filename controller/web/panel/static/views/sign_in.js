/** Signing in, the first start, and the pairing of a device. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";

/** Least number of characters of a password; the API refuses shorter ones. */
const LEAST = 10;

const Field = ({ label, hint, ...input }) => html`<label class="field"><span>${label}</span>
  <input required ...${input} />${hint && html`<small>${hint}</small>`}</label>`;

/** Leave the address of the one-time link or of pairing, and open the views. */
async function goOn(app) {
  history.replaceState(null, "", "#/");
  await app.enter();
}

export function SignIn({ app }) {
  const [run, { busy, error }] = useAction();
  const health = useLoaded(() => api.health());
  const submit = (event) => {
    event.preventDefault();
    const { user, password } = event.target.elements;
    run(async () => {
      await api.login(user.value, password.value);
      await goOn(app);
    });
  };
  const nobody = health.value?.first_start === true;
  return html`<form class="card narrow" onSubmit=${submit}>
    <h1>${t("sign_in.title")}</h1>
    ${nobody && html`<p class="notice">${t("sign_in.nobody")}</p>`}
    <${Field} label=${t("sign_in.name")} name="user" autocomplete="username" autocapitalize="none" maxlength="40" />
    <${Field} label=${t("sign_in.password")} name="password" type="password" autocomplete="current-password" maxlength="200" />
    <div class="actions"><button class="primary large" disabled=${busy}>${t("sign_in.go")}</button></div>
    <${Notice} error=${error} />
    <p class="hint"><a href="#/pair">${t("sign_in.pair")}</a></p>
  </form>`;
}

export function FirstStart({ app }) {
  const [run, { busy, error }] = useAction();
  const [mismatch, setMismatch] = useState(false);
  const submit = (event) => {
    event.preventDefault();
    const { user, password, again } = event.target.elements;
    const differs = password.value !== again.value;
    setMismatch(differs);
    if (differs) return;
    run(async () => {
      await api.firstStart(state.token, user.value, password.value);
      await goOn(app);
    });
  };
  return html`<form class="card narrow" onSubmit=${submit}>
    <h1>${t("first_start.title")}</h1>
    <p>${t("first_start.what")}</p>
    <${Field} label=${t("sign_in.name")} name="user" autocomplete="username" autocapitalize="none" maxlength="60" />
    <${Field} label=${t("sign_in.password")} hint=${t("first_start.least", { least: LEAST })} name="password" type="password"
      minlength=${LEAST} maxlength="200" autocomplete="new-password" />
    <${Field} label=${t("first_start.again")} name="again" type="password" maxlength="200" autocomplete="new-password" />
    ${mismatch && html`<p class="notice fault" role="alert">${t("first_start.mismatch")}</p>`}
    <div class="actions"><button class="primary large" disabled=${busy}>${t("first_start.go")}</button></div>
    <${Notice} error=${error} />
  </form>`;
}

export function Pairing({ app }) {
  const [run, { busy, error }] = useAction();
  const submit = (event) => {
    event.preventDefault();
    const { code } = event.target.elements;
    run(async () => {
      await api.pair(code.value.trim());
      await goOn(app);
    });
  };
  return html`<form class="card narrow" onSubmit=${submit}>
    <h1>${t("pair.title")}</h1>
    <p>${t("pair.what")}</p>
    <${Field} label=${t("pair.code")} name="code" autocomplete="one-time-code" autocapitalize="characters" maxlength="200" />
    <div class="actions"><button class="primary large" disabled=${busy}>${t("pair.go")}</button></div>
    <${Notice} error=${error} />
    <p class="hint"><a href="#/">${t("pair.sign_in")}</a></p>
  </form>`;
}
