/** The frame of the panel: its views, and the table in the header. */
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { html } from "../vendor/htm_preact.js";
import { PlayerView } from "../views/player.js";
import { useStore } from "./hooks.js";
import { PageFrame, later } from "./page_frame.js";

/** Views in the order of the navigation, each with the least role that sees it. */
export const VIEWS = [
  { name: "player", role: "player", icon: "table", View: PlayerView },
  { name: "dealer", role: "dealer", icon: "dealer", View: later(() => import("../views/dealer.js"), "DealerView") },
  { name: "attendant", role: "attendant", icon: "help", View: later(() => import("../views/attendant.js"), "AttendantView") },
  { name: "technician", role: "technician", icon: "tool", View: later(() => import("../views/technician.js"), "TechnicianView") },
  { name: "auditor", role: "auditor", icon: "list", View: later(() => import("../views/auditor.js"), "AuditorView") },
  { name: "judge", role: "", icon: "judge", View: later(() => import("../views/judge.js"), "JudgeView") },
];

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
  const table = state.status?.table;
  const brand = { home: "#/", words: table?.name ?? "Wallwright", note: table?.simulated && t("frame.simulated") };
  return html`<${PageFrame} app=${app} brand=${brand} below=${html`<${ConnectionLost} />`} loading=${t("now.loading")} open=${openView} />`;
}

/** The view of the address, with the views of the navigation, for the frame. */
function openView() {
  const view = presentView();
  const prompts = state.status?.prompts ?? [];
  const faults = prompts.filter((prompt) => prompt.kind === "fault").length;
  return {
    ...view,
    key: view.name,
    title: [t(`view.${view.name}`), state.status?.table?.name, "Wallwright"].filter(Boolean).join(" · "),
    skips: prompts.length > 0 ? [{ id: "prompts", words: t("frame.skip_prompts") }] : [],
    heading: html`<h1 class="unseen">${t(`view.${view.name}`)}</h1>`,
    views: permitted().map((each) =>
      each.name === "attendant" ? { ...each, count: faults, counted: t("frame.open_faults") } : each,
    ),
    present: view.name,
  };
}

/** Below the header while the table's status is not received. */
function ConnectionLost() {
  return state.connection === "lost" && html`<div class="banner" id="connection-lost">
    <strong>${t("connection.lost")}</strong> <span>${t("connection.lost.next")}</span>
  </div>`;
}
