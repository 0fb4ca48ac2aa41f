/** The frame of the floor's page: its views, and the floor in the header. */
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { Devices } from "../service/devices.js";
import { Users } from "../service/users.js";
import { html } from "../vendor/htm_preact.js";
import { Report } from "../views/report.js";
import { Room } from "../views/room.js";
import { TablePage } from "../views/table.js";
import { useStore } from "./hooks.js";
import { PageFrame } from "./page_frame.js";

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
  const brand = { home: "#/room", words: state.floor ? t("floor.title", { floor: state.floor }) : "Wallwright" };
  return html`<${PageFrame} app=${app} brand=${brand} loading=${t("floor.loading")} open=${openView} />`;
}

/** The view of the address, with the views of the navigation, for the frame. */
function openView() {
  const view = presentView();
  const title = view.name === "table" ? (state.tables.get(state.table)?.title ?? state.table) : t(`view.${view.name}`);
  const needed = [...state.tables.values()].filter((table) => table.needs_person).length;
  return {
    ...view,
    key: `${view.name}/${state.table}`,
    title: [title, t("floor.title", { floor: state.floor })].filter(Boolean).join(" · "),
    banners: html`<${Banners} />`,
    views: permitted().map((each) =>
      each.name === "room" ? { ...each, count: needed, counted: t("floor.need_person") } : each,
    ),
    present: view.name === "table" ? "room" : view.name,
  };
}

/** Sentences above the view about what the floor or this page does not receive. */
function Banners() {
  const lost = state.connection === "lost";
  return html`<div class="banners">
    ${lost && html`<p class="notice fault" id="connection-lost"><strong>${t("connection.lost")}</strong> ${t("connection.lost.next")}</p>`}
    ${!lost && !state.broker && html`<p class="notice fault"><strong>${t("floor.no_broker")}</strong> ${t("floor.no_broker.next")}</p>`}
    ${!lost && !state.database && html`<p class="notice"><strong>${t("floor.no_database")}</strong> ${t("floor.no_database.next")}</p>`}
  </div>`;
}
