/** The judge: a hand is entered by tapping its tiles; the verdict has its class and the payments. */
import { api, caseAddress } from "../api.js";
import { number, plainWords, t } from "../data/messages.js";
import { draft, setDraft, state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";
import { useAction, useLoaded } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { TilePicker, KINDS, setOfGame, tileWords } from "../prompts/tile_picker.js";
import { Tile } from "../prompts/tile.js";
import { openRecordedCase } from "../session/open_judge.js";
import { SchemaForm } from "../session/schema_form.js";
import { html, useState } from "../vendor/htm_preact.js";
import { readExample } from "./judge_example.js";

/** Fields that are entered by tapping tiles, with the number of their tiles; 0 is any number. */
const TAPPED = {
  wenzhou: { indicator: 1, hand: 0, tile: 1 },
  filipino: { joker: 1, hand: 0, tile: 1 },
  pai_gow: { player: 4, banker: 4 },
  da_san: { table: 0, play: 0, hand: 0 },
  dominoes: { hand: 0 },
};
const MELDS = ["wenzhou", "filipino"];

export function JudgeView() {
  const games = state.games.filter((game) => game.judged);
  const now = state.status?.programme?.now?.game;
  const game = draft("judge.game", null) ?? games.find((each) => each.name === now)?.name ?? games[0]?.name;
  if (!game) return html`<p class="starting">${t("now.loading")}</p>`;
  return html`<div class="judge">
    <label class="field narrow-field"><span>${t("games.game")}</span>
      <select onChange=${(event) => setDraft("judge.game", games[event.target.selectedIndex].name)}>
        ${games.map((each) => html`<option selected=${each.name === game}>${each.title}</option>`)}
      </select></label>
    <${Source} game=${game} />
    <${CaseForm} key=${game} game=${game} />
  </div>`;
}

/** The recorded hand from which the case was made: its seats, its file, and what the form does not show. */
function Source({ game }) {
  const [run, { busy, error }] = useAction();
  const source = draft("judge.source", null);
  if (source?.game !== game) return null;
  const { parameters = {}, claims = [], seat: shown } = draft(`judge.${game}`, {});
  const rules = Object.entries(parameters).map(([name, value]) => `${plainWords(name)} ${value}`);
  const open = (seat) => run(() => openRecordedCase(source.session, source.hand, seat));
  return html`<section class="card case-source">
    <p>${t("judge.from_hand", { number: source.hand })}${" "}
      ${source.settled && html`${t("judge.settled")} <b lang="en">${plainWords(source.settled)}</b>`}</p>
    ${source.seats.length > 1 &&
    html`<div class="actions" role="group" aria-label=${t("judge.of_seat")}>${source.seats.map(
      (seat) => html`<button type="button" disabled=${busy} aria-pressed=${seat === shown} onClick=${() => open(seat)}>${seatWords(state.status, seat)}</button>`,
    )}</div>`}
    ${rules.length > 0 && html`<p class="hint" lang="en">${t("judge.house_rules", { rules: rules.join(", ") })}</p>`}
    ${claims.length > 0 && html`<p class="hint">${t("judge.claims", { seats: claims.map((claim) => seatWords(state.status, claim.seat)).join("; ") })}</p>`}
    <p class="hint"><a href=${caseAddress(source.session, source.hand, source.seat)} download>${t("judge.download")}</a></p>
    <${Notice} error=${error} />
  </section>`;
}

function CaseForm({ game }) {
  const form = useLoaded(() => api.judgeForm(game), [game]);
  const values = draft(`judge.${game}`, {});
  const tapped = TAPPED[game] ?? (setOfGame(game) === "dominoes" && game !== "backgammon" ? TAPPED.dominoes : {});
  const [target, aim] = useState(Object.keys(tapped).includes("hand") ? "hand" : Object.keys(tapped)[0]);
  const [run, { busy, error, done }, forget] = useAction();
  /** Change the case by a function: two quick taps come before it is drawn again. */
  const put = (update) => {
    forget();
    setDraft(`judge.${game}`, (before) => update(before ?? {}));
  };
  const replace = (next) => {
    setDraft("judge.source", null);
    put(() => next);
  };
  if (!form.value) return html`<${Notice} error=${form.error} />`;
  const judge = (event) => {
    event.preventDefault();
    run(() => api.judge(game, draft(`judge.${game}`, {})));
  };
  return html`<form class="columns" onSubmit=${judge}>
    ${Object.keys(tapped).length > 0 &&
    html`<section class="card wide">
      <h2>${t("judge.tiles")}</h2>
      <p class="hint">${t("judge.tap")}</p>
      ${Object.entries(tapped).map(
        ([name, most]) => html`<${Rack} key=${name} name=${name} game=${game} values=${values} put=${put} most=${most}
          aimed=${target === name} aim=${() => aim(name)} />`,
      )}
      ${MELDS.includes(game) && html`<${Melds} game=${game} values=${values} put=${put} aimed=${target === "melds"} aim=${() => aim("melds")} />`}
      <${TilePicker} set=${setOfGame(game)} pick=${(face) => put((before) => withTile(before, target, tapped[target], face))} />
    </section>`}
    <section class="card">
      <h2>${t("judge.claim")}</h2>
      <${SchemaForm} schema=${form.value.case} values=${values} set=${put} seats=${seatNames()} skip=${[...Object.keys(tapped), "melds", "parameters", "game", "claims"]} />
    </section>
    <section class="card verdict" aria-live="polite">
      <h2>${t("judge.verdict")}</h2>
      <div class="actions">
        <button class="primary large" disabled=${busy}>${t("judge.go")}</button>
        <button type="button" onClick=${() => replace(readExample(form.value.example))}>${t("judge.example")}</button>
        <button type="button" onClick=${() => replace({})}>${t("judge.clear")}</button>
      </div>
      <${Notice} error=${error} />
      ${done && html`<${Verdict} verdict=${done} />`}
    </section>
  </form>`;
}

/** The seats in words, from seat 0. */
const seatNames = () => Array.from({ length: 4 }, (_, seat) => seatWords(state.status, seat));

/** The case with one tile more in the field `target`. */
function withTile(values, target, most, face) {
  if (target === "melds") {
    const melds = values.melds?.length ? values.melds : [[]];
    return { ...values, melds: [...melds.slice(0, -1), [...melds.at(-1), face]] };
  }
  if (most === 1) return { ...values, [target]: face };
  const held = values[target] ?? [];
  return most && held.length >= most ? values : { ...values, [target]: [...held, face] };
}

const without = (list, index) => list.filter((_, at) => at !== index);

/** The tiles of one field; a tap on a tile takes it away, a tap on the name aims the keys at it. */
function Rack({ name, game, values, put, most, aimed, aim }) {
  const held = most === 1 ? (values[name] ? [values[name]] : []) : (values[name] ?? []);
  const takeAway = (index) =>
    put((before) => {
      const next = { ...before };
      const left = most === 1 ? [] : without(before[name] ?? [], index);
      if (left.length) next[name] = left;
      else delete next[name];
      return next;
    });
  return html`<div class="rack ${aimed ? "aimed" : ""}">
    <button type="button" class="rack-name" aria-pressed=${aimed} onClick=${aim}>${t(`judge.field.${name}`)}
      <small>${most === 0 ? held.length : `${held.length} / ${most}`}</small></button>
    <div class="rack-tiles">${held.map(
      (face, index) => html`<button type="button" class="tile-key" aria-label=${t("judge.remove", { tile: tileWords(face, KINDS[setOfGame(game)]) })} onClick=${() => takeAway(index)}>
        <${Tile} face=${face} kind=${KINDS[setOfGame(game)]} /></button>`,
    )}</div>
  </div>`;
}

/** Sets laid down: one rack a set; a button begins the next one. */
function Melds({ game, values, put, aimed, aim }) {
  const melds = values.melds ?? [];
  const add = () => {
    put((before) => ({ ...before, melds: [...(before.melds ?? []), []] }));
    aim();
  };
  const takeAway = (index) => put((before) => ({ ...before, melds: without(before.melds ?? [], index) }));
  return html`<div class="rack ${aimed ? "aimed" : ""}">
    <button type="button" class="rack-name" aria-pressed=${aimed} onClick=${melds.length ? aim : add}>${t("judge.field.melds")} <small>${melds.length}</small></button>
    <div class="rack-tiles">${melds.map(
      (meld, index) => html`<button type="button" class="meld" aria-label=${t("judge.remove", { tile: meld.map((face) => tileWords(face, KINDS[setOfGame(game)])).join(", ") })} onClick=${() => takeAway(index)}>
        ${meld.map((face) => html`<${Tile} face=${face} kind=${KINDS[setOfGame(game)]} />`)}</button>`,
    )}
      ${melds.length > 0 && melds.at(-1).length > 0 && html`<button type="button" onClick=${add}>${t("judge.next_meld")}</button>`}</div>
  </div>`;
}

function Verdict({ verdict }) {
  const seat = (who) => (typeof who === "number" ? seatWords(state.status, who) : (who ?? t("results.bank")));
  return html`<div class="verdict-words ${verdict.legal ? "" : "refused"}">
    <p class="judgement">${t(verdict.legal ? "judge.valid" : "judge.not_valid")}
      ${verdict.name && html` <span lang="en">${plainWords(verdict.name)}${verdict.multiplier > 1 ? ` ×${verdict.multiplier}` : ""}</span>`}</p>
    <ul class="reasons" lang="en">${verdict.reasons.map((reason) => html`<li>${named(state.status, reason)}</li>`)}</ul>
    ${verdict.payments.length > 0 &&
    html`<h3>${t("judge.payments")}</h3><ul class="payments">${verdict.payments.map(
      (payment) => html`<li><span>${seat(payment.from)} → ${seat(payment.to)}</span><b>${number(payment.amount)}</b><small lang="en">${named(state.status, payment.why)}</small></li>`,
    )}</ul>`}
  </div>`;
}
