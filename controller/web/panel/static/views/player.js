/** The player's view: the picture, the question for a result, what the table does, prompts, keys, the game, the scores. */
import { t } from "../data/messages.js";
import { draft, setDraft, state } from "../data/store.js";
import { html } from "../vendor/htm_preact.js";
import { ChanceCard } from "../session/chance_card.js";
import { Controls } from "../session/controls.js";
import { GameForm } from "../session/game_form.js";
import { NowCard } from "../session/now_card.js";
import { Prompts } from "../prompts/prompts.js";
import { Seats } from "../session/seats.js";
import { TablePicture } from "../session/table_picture.js";
import { later } from "../frame/page_frame.js";
import { Tabs } from "../frame/tabs.js";

const ResultCard = later(() => import("../session/result_card.js"), "ResultCard");
const Results = later(() => import("../session/results.js"), "Results");

/** `more` are further tabs: [name, Component]. */
export function PlayerView({ app, more = [] }) {
  if (!state.status) return html`<p class="starting">${t("now.loading")}</p>`;
  const tabs = [["table", Seats], ["game", GameForm], ["scores", Results], ...more];
  const session = state.status.session?.id ?? "";
  const usual = session ? "table" : "game";
  const present = draft(`tab.${session}`, usual);
  const shown = tabs.filter(([name]) => session || name !== "table");
  const Content = (shown.find(([name]) => name === present) ?? shown[0])[1];
  return html`<div class="two-columns">
    <div class="picture-column"><${TablePicture} /></div>
    <div class="side-column">
      ${state.status.question && html`<${ResultCard} />`}
      <${NowCard} />
      <${Prompts} />
      <${Controls} />
      <${Tabs} names=${shown.map(([name]) => name)} present=${present} label=${t("player.tabs")}
        pick=${(name) => setDraft(`tab.${session}`, name)}>
        <${Content} app=${app} />
      <//>
      <${ChanceCard} />
    </div>
  </div>`;
}
