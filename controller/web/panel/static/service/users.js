/** Users of the table: add one, change a role or a password, delete one. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { Confirm } from "../frame/dialog.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";

const ROLES = ["player", "dealer", "attendant", "technician", "auditor"];

/** A choice of a role by its name in the present language. */
export const RoleSelect = ({ label, roles, value, set }) => html`<label class="field"><span>${label}</span>
  <select onChange=${(event) => set(roles[event.target.selectedIndex])}>
    ${roles.map((role) => html`<option selected=${role === value}>${t(`role.${role}`)}</option>`)}
  </select></label>`;

export function Users() {
  const loaded = useLoaded(() => api.users());
  const [run, { busy, error }] = useAction();
  const [deleting, ask] = useState("");
  const [changing, edit] = useState("");
  const change = (work) => run(async () => {
    await work();
    await loaded.reload();
  });
  return html`<div class="columns">
    <section class="card">
      <h2>${t("users.title")}</h2>
      <${Notice} error=${loaded.error ?? error} />
      <ul class="rows">${loaded.value?.map(
        (user) => html`<li key=${user.name}>
          <span><b>${user.name}</b> <small>${t(`role.${user.role}`)}</small></span>
          <span class="row-actions">
            <button class="small" aria-expanded=${changing === user.name} onClick=${() => edit(changing === user.name ? "" : user.name)}>${t("users.change")}</button>
            <button class="small" disabled=${busy} onClick=${() => ask(user.name)} aria-label=${t("users.delete_one", { name: user.name })}>${t("users.delete")}</button>
          </span>
          ${changing === user.name && html`<${ChangeUser} user=${user} save=${(changes) => change(() => api.changeUser(user.name, changes)).then((saved) => saved && edit(""))} />`}
        </li>`,
      )}</ul>
    </section>
    <${NewUser} add=${(...values) => change(() => api.addUser(...values))} busy=${busy} />
    ${deleting && html`<${Confirm} question=${t("users.delete_question", { name: deleting })} action=${t("users.delete")}
      close=${() => ask("")} act=${() => change(() => api.deleteUser(deleting))} />`}
  </div>`;
}

function ChangeUser({ user, save }) {
  const [role, setRole] = useState(user.role);
  const submit = (event) => {
    event.preventDefault();
    const password = event.target.elements.password.value;
    save({ ...(role === user.role ? {} : { role }), ...(password ? { password } : {}) });
  };
  return html`<form class="nested fields" onSubmit=${submit}>
    <${RoleSelect} label=${t("users.role")} roles=${ROLES} value=${role} set=${setRole} />
    <label class="field"><span>${t("users.new_password")}</span><input name="password" type="password" minlength="10" maxlength="200" autocomplete="new-password" /></label>
    <button>${t("form.save")}</button>
  </form>`;
}

function NewUser({ add, busy }) {
  const [role, setRole] = useState("player");
  const submit = async (event) => {
    event.preventDefault();
    const form = event.target;
    const { user, password } = form.elements;
    if (await add(user.value, role, password.value)) form.reset();
  };
  return html`<form class="card" onSubmit=${submit}>
    <h2>${t("users.add")}</h2>
    <label class="field"><span>${t("sign_in.name")}</span><input name="user" required maxlength="40" pattern="[^\\s/\\\\?#%]+" autocomplete="off" autocapitalize="none" /></label>
    <${RoleSelect} label=${t("users.role")} roles=${ROLES} value=${role} set=${setRole} />
    <label class="field"><span>${t("sign_in.password")}</span><input name="password" type="password" required minlength="10" maxlength="200" autocomplete="new-password" />
      <small>${t("first_start.least", { least: 10 })}</small></label>
    <div class="actions"><button class="primary" disabled=${busy}>${t("users.add")}</button></div>
  </form>`;
}
