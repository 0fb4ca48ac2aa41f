/** Chooses a game, its players and its house rules: to begin a session, or for the next shuffle. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { draft, may, setDraft, state } from "../data/store.js";
import { gameTitle, seatWords } from "../data/words.js";
import { html, useState } from "../vendor/htm_preact.js";
import { useAction } from "../frame/hooks.js";
import { NameFields } from "./seats.js";
import { Notice } from "../frame/notice.js";
import { Presets } from "./presets.js";
import { SchemaForm } from "./schema_form.js";

/** Games whose seats have winds, East first. */
const WINDS = ["East", "South", "West", "North"];
const WITH_WINDS = ["wenzhou", "filipino"];

export function GameForm({ app }) {
  const running = Boolean(state.status?.session);
  const programme = state.status?.programme ?? {};
  const basis = programme.next ?? programme.now ?? { game: state.games[0]?.name ?? "" };
  const choice = draft("choice", null) ?? basis;
  const names = draft("names", {});
  const [run, { busy, error, done }] = useAction();
  const game = state.games.find((each) => each.name === choice.game);
  const put = (values) => setDraft("choice", (before) => ({ ...(before ?? basis), ...values }));
  const setRules = (update) =>
    setDraft("choice", (before) => ({ ...(before ?? basis), house_rules: update((before ?? basis).house_rules ?? {}) }));
  const start = async (event) => {
    event.preventDefault();
    const chosen = draft("choice", null) ?? basis; // a value typed just before is not drawn yet
    const given = running
      ? () => command("choose_next", { choice: sent(chosen) })
      : () => command("start_session", { choice: sent(chosen), names: filled(draft("names", {}), seatsOf(game, chosen)) });
    if (!(await run(given))) return;
    setDraft("choice", null);
    if (!running) scrollTo(0, 0);
  };
  if (!game) return html`<section class="card"><p>${t("games.loading")}</p></section>`;
  return html`<form class="card game-form" onSubmit=${start}>
    <h2>${t(running ? "games.next_title" : "games.title")}</h2>
    ${running && html`<p class="hint">${t("games.next_hint", { now: gameTitle(state.games, programme.now?.game) })}
      ${programme.next && ` ${t("games.next_chosen", { game: gameTitle(state.games, programme.next.game) })}`}</p>`}
    <${GameList} choice=${choice} pick=${(name) => setDraft("choice", { game: name, house_rules: {} })} />
    <${Presets} app=${app} choice=${choice} sent=${sent(choice)} pick=${(preset) => setDraft("choice", preset)} />
    <${Players} game=${game} choice=${choice} put=${put} />
    <${Followed} game=${game} choice=${choice} put=${put} />
    ${!running && html`<${Names} game=${game} choice=${choice} names=${names} />`}
    <${HouseRules} game=${game} choice=${choice} set=${setRules} />
    <div class="actions">
      <button class="primary large" disabled=${busy || !may("player")}>${t(running ? "games.choose_next" : "games.start")}</button>
    </div>
    <${Notice} error=${error} />
    ${done && running && html`<p class="notice done" role="status">${t("games.chosen")}</p>`}
  </form>`;
}

/** The choice without values that the table fills in by itself. */
const sent = (choice) => Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== null && value !== ""));
/** The number of seats of a choice: as chosen, or the game's usual number of players. */
const seatsOf = (game, choice) => choice.players ?? game.usual_players;
/** The names that are filled in, of the seats that the choice has. */
const filled = (names, seats) =>
  Object.fromEntries(Object.entries(names).filter(([seat, name]) => Number(seat) < seats && name.trim()));

function GameList({ choice, pick }) {
  return html`<fieldset class="options games">
    <legend>${t("games.game")}</legend>
    ${state.games.map(
      (game) => html`<label key=${game.name} class="option">
        <input type="radio" name="game" checked=${choice.game === game.name} disabled=${game.fits === false} onChange=${() => pick(game.name)} />
        <span>${gameTitle(state.games, game.name)}<small>${gameNote(game)}</small></span></label>`,
    )}
  </fieldset>`;
}

/** The size of the set, and whether the table can set the game up. */
function gameNote(game) {
  if (game.fits === false) return t("games.does_not_fit");
  const tiles = game.tiles ? t("games.tiles", { tiles: game.tiles }) : t("games.no_tiles");
  return game.by_hand?.length ? `${tiles} · ${t("games.by_hand")}` : tiles;
}

/** What the table knows of a hand: nothing, the result that people report, or every act. */
function Followed({ game, choice, put }) {
  const ways = game.followed ? ["none", "result", "play"] : ["none", "result"];
  const present = ways.includes(choice.follow) ? choice.follow : "result";
  return html`<fieldset class="options follow">
      <legend>${t("games.follow")}</legend>
      ${ways.map(
        (way) => html`<label key=${way} class="option"><input type="radio" name="follow" checked=${way === present} onChange=${() => put({ follow: way, follow_play: undefined })} />
          <span>${t(`games.follow_${way}`)}<small>${t(`games.follow_${way}_hint`)}</small></span></label>`,
      )}
    </fieldset>
    ${present === "result" &&
    html`<label class="check"><input type="checkbox" role="switch" class="switch" checked=${Boolean(choice.waits_for_result)}
      onChange=${(event) => put({ waits_for_result: event.target.checked })} />
      <span>${t("games.waits_for_result")}<small>${t("games.waits_for_result_hint")}</small></span></label>`}`;
}

/** Number of players and first dealer, and whether the seats are drawn. */
function Players({ game, choice, put }) {
  const counts = game.players ?? [];
  const seats = seatsOf(game, choice);
  const setPlayers = (players) => put((choice.dealer ?? 0) < players ? { players } : { players, dealer: 0 });
  const seat = (number) => seatLabel(game, number);
  return html`<div class="fields">
    ${counts.length > 1 &&
    html`<label class="field"><span>${t("games.players")}</span>
      <select onChange=${(event) => setPlayers(counts[event.target.selectedIndex])}>
        ${counts.map((count) => html`<option selected=${count === seats}>${count}</option>`)}
      </select></label>`}
    <label class="field"><span>${t("games.dealer")}</span>
      <select onChange=${(event) => put({ dealer: event.target.selectedIndex })}>
        ${Array.from({ length: seats }, (_, number) => html`<option selected=${number === (choice.dealer ?? 0)}>${seat(number)}</option>`)}
      </select></label>
    ${WITH_WINDS.includes(game.name) &&
    html`<label class="check"><input type="checkbox" role="switch" class="switch" checked=${Boolean(choice.draw_seats)}
      onChange=${(event) => put({ draw_seats: event.target.checked })} /><span>${t("games.draw_seats")}</span></label>`}
  </div>`;
}

const seatLabel = (game, seat) =>
  state.status?.session ? seatWords(state.status, seat) : t("seat.number", { seat });

function Names({ game, choice, names }) {
  const count = seatsOf(game, choice);
  const winds = WITH_WINDS.includes(game.name);
  const seats = Array.from({ length: count }, (_, seat) => ({
    seat,
    wind: winds ? WINDS[(seat - (choice.dealer ?? 0) + count) % count] : "",
  }));
  const set = (update) => setDraft("names", (before) => update(before ?? {}));
  return html`<fieldset><legend>${t("games.names")}</legend><${NameFields} seats=${seats} names=${names} set=${set} /></fieldset>`;
}

function HouseRules({ game, choice, set }) {
  const schema = game.house_rules;
  const changed = Object.keys(choice.house_rules ?? {}).length;
  const [open, setOpen] = useState(changed > 0);
  if (!Object.keys(schema.properties ?? {}).length) return null;
  return html`<details class="house-rules" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${t("rules.title")} <small>${changed ? t("rules.changed", { changed }) : t("rules.usual")}</small></summary>
    ${open && html`<${SchemaForm} key=${game.name} schema=${schema} values=${choice.house_rules ?? {}} set=${set} />`}
  </details>`;
}
