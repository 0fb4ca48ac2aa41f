/** The frame of the page: header, navigation, and the view of the address. */
import { t } from "../data/messages.js";
import { draft, may, setDraft, state } from "../data/store.js";
import { reloadSoon } from "../start.js";
import { html, useErrorBoundary } from "../vendor/htm_preact.js";
import { Users } from "../service/users.js";
import { Devices } from "../service/devices.js";
import { Report } from "../views/report.js";
import { Room } from "../views/room.js";
import { FirstStart, Pairing, SignIn } from "../views/sign_in.js";
import { TablePage } from "../views/table.js";
import { Banners, Connection } from "./connection.js";
import { useStore } from "./hooks.js";
import { Icon } from "./icons.js";
import { SettingsDialog } from "./settings_dialog.js";

const PAGES = { sign_in: SignIn, first_start: FirstStart, pair: Pairing };
const VIEWS = [
  { name: "room", least: "dealer-reads", View: Room, icon: "table" },
  { name: "report", least: "dealer-reads", View: Report, icon: "list" },
  { name: "people", least: "technician", View: People, icon: "tool" },
];

const permitted = () => VIEWS.filter((view) => may(view.least));

function presentView() {
  if (state.view === "table" && may("dealer-reads")) return { name: "table", View: TablePage };
  return permitted().find((view) => view.name === state.view) ?? permitted()[0] ?? { name: "nothing", View: Nothing };
}

/** For a player or the role `metrics`: the floor has nothing for them. */
const Nothing = () => html`<p class="empty">${t("floor.nothing")}</p>`;

function People() {
  return html`<${Users} /><${Devices} />`;
}

export function Frame({ app }) {
  useStore();
  if (state.page === "loading") return html`<p class="starting">${t("floor.loading")}</p>`;
  const Page = PAGES[state.page];
  if (Page) {
    return html`<div class="frame apart">
      <${Header} app=${app} />
      <main id="main" tabindex="-1"><${Page} app=${app} /></main>
    </div>`;
  }
  const view = presentView();
  const title = view.name === "table" ? (state.tables.get(state.table)?.title ?? state.table) : t(`view.${view.name}`);
  document.title = [title, t("floor.title", { floor: state.floor })].filter(Boolean).join(" · ");
  return html`<div class="frame">
    <a class="skip" href="#main" onClick=${skipToMain}>${t("frame.skip")}</a>
    <${Header} app=${app} />
    <${Navigation} present=${view.name === "table" ? "room" : view.name} />
    <main id="main" tabindex="-1" class="view ${view.name}">
      <${Banners} />
      <${Guarded} key=${`${view.name}/${state.table}`}><${view.View} app=${app} /><//>
    </main>
  </div>`;
}

/** A view. If it cannot be drawn, the page begins anew: a half-drawn view does not recover. */
function Guarded({ children }) {
  const [failure] = useErrorBoundary((error) => {
    reportError(error);
    reloadSoon();
  });
  return failure ? html`<p class="starting">${t("floor.loading")}</p>` : children;
}

/** Moves the keyboard to the content without a change of the address, which names the view. */
function skipToMain(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Header({ app }) {
  return html`<header class="header">
    <a class="brand" href="#/room">
      <img src="style/icon.svg" alt="" width="32" height="32" />
      <span class="brand-words"><b>${state.floor ? t("floor.title", { floor: state.floor }) : "Wallwright"}</b></span>
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
  const open = [...state.tables.values()].filter((table) => table.needs_person).length;
  return html`<nav class="navigation" aria-label=${t("frame.views")}>
    ${permitted().map(
      ({ name, icon }) => html`<a key=${name} href=${`#/${name}`} aria-current=${name === present ? "page" : null}>
        <${Icon} name=${icon} /><span>${t(`view.${name}`)}</span>
        ${name === "room" && open > 0 && html`<b class="count">${open}<span class="unseen"> ${t("floor.need_person")}</span></b>`}
      </a>`,
    )}
  </nav>`;
}
