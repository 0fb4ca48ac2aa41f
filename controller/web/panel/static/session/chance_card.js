/** The commitment to the machine's share of the next shuffle, and a field for a player's share. */
import { command } from "../api.js";
import { t } from "../data/messages.js";
import { may, state } from "../data/store.js";
import { windWords } from "../data/words.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";

export function ChanceCard() {
  const { next, playing } = state.status?.chance ?? {};
  const session = state.status?.session;
  if (!next || !session) return null;
  return html`<details class="card chance">
    <summary>${t("chance.title")}</summary>
    <p class="over">${t("chance.commitment", { cycle: next.cycle })}</p>
    <p><code class="hash" lang="en">${next.commitment}</code></p>
    <${Shares} cycle=${next} seats=${session.seats} />
    ${may("player") && html`<${ShareForm} seats=${session.seats} />`}
    ${playing?.player_shares.length > 0 && html`<p class="over">${t("chance.playing", { cycle: playing.cycle })}</p>
      <${Shares} cycle=${playing} seats=${session.seats} />`}
  </details>`;
}

/** The shares of a cycle in their order, each with its code, so that each player finds the own one. */
function Shares({ cycle, seats }) {
  if (cycle.player_shares.length === 0) return null;
  return html`<p>${t("chance.added", { number: cycle.player_shares.length })}</p>
    <ol class="shares">${cycle.player_shares.map((each) => html`<li>
      ${nameOf(seats.find(({ seat }) => seat === each.seat) ?? each)}: <q>${each.share}</q> <code lang="en">${each.code}</code></li>`)}</ol>
    <p class="detail">${t("chance.keep")}</p>`;
}

const nameOf = (each) => each.name || (each.wind ? windWords(each.wind) : t("seat.number", { seat: each.seat }));

function ShareForm({ seats }) {
  const [share, set] = useState("");
  const [seat, choose] = useState(0);
  const [run, { busy, error }] = useAction();
  const add = async (event) => {
    event.preventDefault();
    if (await run(() => command("add_share", { seat: Number(seat), share }))) set("");
  };
  return html`<form onSubmit=${add}>
    <p class="detail">${t("chance.explain")}</p>
    <label class="field"><span>${t("chance.seat")}</span>
      <select value=${seat} onChange=${(event) => choose(event.target.value)}>
        ${seats.map((each) => html`<option value=${each.seat}>${nameOf(each)}</option>`)}
      </select></label>
    <label class="field"><span>${t("chance.share")}</span>
      <input value=${share} maxlength="64" required autocomplete="off" onInput=${(event) => set(event.target.value)} /></label>
    <div class="actions"><button disabled=${busy}>${t("chance.add")}</button></div>
    <${Notice} error=${error} />
  </form>`;
}
