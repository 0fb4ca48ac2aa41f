/** The frame around every view: the table's name, the navigation, the connection, the settings. */
import { t } from "../data/messages.js";
import { may, setDraft, draft, state } from "../data/store.js";
import { reloadSoon } from "../start.js";
import { html, useErrorBoundary } from "../vendor/htm_preact.js";
import { PlayerView } from "../views/player.js";
import { FirstStart, Pairing, SignIn } from "../views/sign_in.js";
import { Connection } from "./connection.js";
import { useLoaded, useStore } from "./hooks.js";
import { Icon } from "./icons.js";
import { SettingsDialog } from "./settings_dialog.js";

/**
 * A view whose module is loaded when it is opened, because the first view does not need it. The
 * browser loads a module that has failed only in a new page.
 */
const later = (load, name) => (properties) => {
  const module = useLoaded(() => load().catch(reloadSoon));
  return module.value ? html`<${module.value[name]} ...${properties} />` : html`<p class="starting">${t("now.loading")}</p>`;
};

/** Views in the order of the navigation, each with the least role that sees it. */
export const VIEWS = [
  { name: "player", role: "player", icon: "table", View: PlayerView },
  { name: "dealer", role: "dealer", icon: "dealer", View: later(() => import("../views/dealer.js"), "DealerView") },
  { name: "attendant", role: "attendant", icon: "help", View: later(() => import("../views/attendant.js"), "AttendantView") },
  { name: "technician", role: "technician", icon: "tool", View: later(() => import("../views/technician.js"), "TechnicianView") },
  { name: "auditor", role: "auditor", icon: "list", View: later(() => import("../views/auditor.js"), "AuditorView") },
  { name: "judge", role: "", icon: "judge", View: later(() => import("../views/judge.js"), "JudgeView") },
];

const PAGES = { sign_in: SignIn, first_start: FirstStart, pair: Pairing };

/** The views that the signed-in person may see. */
const permitted = () => VIEWS.filter((view) => !view.role || may(view.role));

/** The view of the address, or the first one of the person's role. */
function presentView() {
  const views = permitted();
  const own = views.find((view) => view.name === state.me?.role);
  return views.find((view) => view.name === state.view) ?? own ?? views[0];
}

export function Frame({ app }) {
  useStore();
  if (state.page === "loading") return html`<p class="starting">${t("now.loading")}</p>`;
  const Page = PAGES[state.page];
  if (Page) {
    return html`<div class="frame apart">
      <${Header} app=${app} />
      <main id="main" tabindex="-1"><${Page} app=${app} /></main>
    </div>`;
  }
  const view = presentView();
  document.title = [t(`view.${view.name}`), state.status?.table?.name, "Wallwright"].filter(Boolean).join(" · ");
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${skipTo("main")}>${t("frame.skip")}</a>
    ${state.status?.prompts?.length > 0 &&
    html`<a class="skip" href="#prompts" onClick=${skipTo("prompts")}>${t("frame.skip_prompts")}</a>`}
    <${Header} app=${app} />
    <${Navigation} present=${view.name} />
    <main id="main" tabindex="-1" class="view ${view.name}">
      <h1 class="unseen">${t(`view.${view.name}`)}</h1>
      <${Guarded} key=${view.name}><${view.View} app=${app} /><//>
    </main>
  </div>`;
}

/** A view. If it cannot be drawn, the page begins anew: a half-drawn view does not recover. */
function Guarded({ children }) {
  const [failure] = useErrorBoundary((error) => {
    reportError(error);
    reloadSoon();
  });
  return failure ? html`<p class="starting">${t("now.loading")}</p>` : children;
}

/** Moves the keyboard to a region without a change of the address, which names the view. */
const skipTo = (id) => (event) => {
  event.preventDefault();
  document.getElementById(id)?.focus();
};

function Header({ app }) {
  const name = state.status?.table?.name;
  return html`<header class="header">
    <a class="brand" href="#/">
      <img src="style/icon.svg" alt="" width="32" height="32" />
      <span class="brand-words"><b>${name ?? "Wallwright"}</b>
        ${state.status?.table?.simulated && html`<small>${t("frame.simulated")}</small>`}</span>
      <span class="unseen">${t("frame.home")}</span>
    </a>
    ${state.page === "open" && html`<${Connection} />`}
    <button class="quiet icon-only" aria-label=${t("settings.open")} onClick=${() => setDraft("settings", true)}>
      <${Icon} name="settings" />
    </button>
    ${draft("settings", false) && html`<${SettingsDialog} app=${app} close=${() => setDraft("settings", false)} />`}
  </header>`;
}

function Navigation({ present }) {
  const open = state.status?.prompts?.filter((prompt) => prompt.kind === "fault").length ?? 0;
  return html`<nav class="navigation" aria-label=${t("frame.views")}>
    ${permitted().map(
      ({ name, icon }) => html`<a key=${name} href=${`#/${name}`} aria-current=${name === present ? "page" : null}>
        <${Icon} name=${icon} /><span>${t(`view.${name}`)}</span>
        ${name === "attendant" && open > 0 && html`<b class="count">${open}<span class="unseen"> ${t("frame.open_faults")}</span></b>`}
      </a>`,
    )}
  </nav>`;
}
