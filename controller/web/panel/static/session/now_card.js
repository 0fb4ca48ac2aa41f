/** What the table does now, in one large sentence, with the facts of the round below it. */
import { plainWords, t } from "../data/messages.js";
import { state } from "../data/store.js";
import { detail, gameTitle, headline, seatWords } from "../data/words.js";
import { Tile } from "../prompts/tile.js";
import { tileWords } from "../prompts/tile_picker.js";
import { choiceWords } from "../prompts/answer_words.js";
import { html } from "../vendor/htm_preact.js";

export function NowCard() {
  const status = state.status;
  const { tone, text } = headline(status);
  const more = detail(status);
  return html`<section class="now ${tone}" aria-label=${t("now.label")}>
    ${status?.session &&
    html`<p class="over">${[
      gameTitle(state.games, status.session.game),
      t("now.round", { number: status.round?.hand || status.session.rounds + 1 }),
      status.session.ending && t("now.last_round"),
    ]
      .filter(Boolean)
      .join(" · ")}</p>`}
    <h2 id="now-words">${text}</h2>
    ${more.text && html`<p class="detail" lang=${more.own ? "en" : null}>${more.text}</p>`}
    ${status?.fault && html`<p class="detail" lang="en">${status.fault.cure}</p>`}
    ${status?.round && html`<${RoundFacts} status=${status} />`}
  </section>`;
}

/** The throw, the choices and the indicator of this round. */
function RoundFacts({ status }) {
  const { round } = status;
  const facts = [];
  if (round.throw) {
    facts.push([
      t("round.throw"),
      html`<span class="dice">${round.throw.dice.map((face) => html`<${Die} face=${face} />`)}</span>
        <span>${seatWords(status, round.throw.by)}</span>`,
    ]);
  }
  for (const [question, answer] of Object.entries(round.choices ?? {})) {
    facts.push([plainWords(question), choiceWords(question, answer)]);
  }
  if (round.indicator) facts.push([t("round.indicator"), indicatorOf(round)]);
  const asked = status.prompts.some((prompt) => prompt.kind === "act"); // the prompt names the seats
  if (round.to_act?.length && !asked) facts.push([t("round.to_act"), round.to_act.map((seat) => seatWords(status, seat)).join("; ")]);
  if (!facts.length) return null;
  return html`<dl class="facts">
    ${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** The tile that was turned up, drawn if its face is known, or else that it is not known. */
const indicatorOf = (round) =>
  round.indicator_face ? html`<${Tile} face=${round.indicator_face} name=${tileWords(round.indicator_face)} />` : t("answer.unknown");

const PIPS = {
  1: [[5, 5]],
  2: [[3, 3], [7, 7]],
  3: [[2.7, 2.7], [5, 5], [7.3, 7.3]],
  4: [[3, 3], [7, 3], [3, 7], [7, 7]],
  5: [[2.7, 2.7], [7.3, 2.7], [5, 5], [2.7, 7.3], [7.3, 7.3]],
  6: [[3, 2.5], [7, 2.5], [3, 5], [7, 5], [3, 7.5], [7, 7.5]],
};

/** One die with its pips. */
export const Die = ({ face }) => html`<svg class="die" viewBox="0 0 10 10" role="img" aria-label=${String(face)}>
  <rect x="0.4" y="0.4" width="9.2" height="9.2" rx="1.8" />
  ${(PIPS[face] ?? []).map(([x, y]) => html`<circle cx=${x} cy=${y} r="0.95" />`)}
</svg>`;
