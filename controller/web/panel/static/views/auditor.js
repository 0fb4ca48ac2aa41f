/** The auditor's view: sessions, the last ten rounds, counts, and the journal page by page. */
import { JOURNAL_PAGE, api } from "../api.js";
import { dateTime, duration, number, t } from "../data/messages.js";
import { state } from "../data/store.js";
import { faultTitle, gameTitle } from "../data/words.js";
import { useLoaded } from "../frame/hooks.js";
import { Empty, Notice } from "../frame/notice.js";
import { SaveFile } from "../frame/save_file.js";
import { HandResult } from "../session/results.js";
import { html, useState } from "../vendor/htm_preact.js";
import { RecentEvents } from "./attendant.js";

/** Number of rounds that a regulator asks to see at once. */
const ROUNDS = 10;

export function AuditorView() {
  return html`<div class="columns">
    <${LastRounds} />
    <div class="stack"><${Sessions} /><${Counts} /><${LifeCounts} /></div>
    <${Journal} />
  </div>`;
}

const seatOf = (names) => (seat) => names[seat] || t("seat.number", { seat });

/** The results of the last ten rounds, from as many sessions as they need. */
async function lastRounds() {
  const found = [];
  for (const session of (await api.sessions("", 10)).sessions) {
    const after = Math.max(0, session.rounds - ROUNDS);
    const { results } = await api.results(session.id, after, 200);
    const names = session.names;
    found.push(...results.reverse().map((result) => ({ result, session, names })));
    if (found.length >= ROUNDS) break;
  }
  return found.slice(0, ROUNDS);
}

function LastRounds() {
  const rounds = useLoaded(lastRounds, [state.status?.counts?.rounds, state.status?.session?.results?.length]);
  const { unfinished } = useLoaded(api.rounds, [state.status?.machine?.top, state.status?.counts?.rounds]).value ?? {};
  return html`<section class="card">
    <h2>${t("auditor.last_rounds", { rounds: ROUNDS })}</h2>
    <${Notice} error=${rounds.error} />
    ${unfinished && html`<${Unfinished} round=${unfinished} />`}
    ${rounds.value?.length === 0 && html`<${Empty}>${t("results.none")}<//>`}
    <ol class="results">${rounds.value?.map(
      ({ result, session, names }) => html`<${HandResult} key=${`${session.id} ${result.number}`} result=${result} session=${session.id} seats=${seatOf(names)} />`,
    )}</ol>
  </section>`;
}

/** The round in progress: its choices, its dice and the commitment of its shuffle. */
function Unfinished({ round }) {
  const commitment = round.chance?.commitment;
  return html`<p class="over">${t("auditor.unfinished", { number: round.number })}</p>
    <ul class="payments">
      ${round.choices.map((choice) => html`<li><span>${t("seat.number", { seat: choice.by })}</span><b lang="en">${choice.what} ${String(choice.answer)}</b></li>`)}
      ${round.dice.map((throwing) => html`<li><span>${t("seat.number", { seat: throwing.by })}</span><b>${throwing.dice.join(" ")}</b></li>`)}
    </ul>
    ${commitment && html`<p class="detail hash">${t("chance.commitment", { cycle: round.chance.cycle })}: ${commitment}</p>`}`;
}

/** The sessions, latest first; a tap opens the results of one. */
function Sessions() {
  const [before, page] = useState([""]);
  const [open, show] = useState("");
  const loaded = useLoaded(() => api.sessions(before.at(-1)), [before.length, state.status?.session?.id]);
  const sessions = loaded.value?.sessions ?? [];
  return html`<section class="card">
    <h2>${t("auditor.sessions")}</h2>
    <${Notice} error=${loaded.error} />
    ${loaded.value && !sessions.length && html`<${Empty}>${t("auditor.no_sessions")}<//>`}
    <ul class="session-list">${sessions.map(
      (session) => html`<li key=${session.id}>
        <button class="quiet row" aria-expanded=${open === session.id} onClick=${() => show(open === session.id ? "" : session.id)}>
          <span><b>${gameTitle(state.games, session.game)}</b>
            <small>${dateTime(session.started)}${session.ended ? ` – ${dateTime(session.ended)}` : ` · ${t("auditor.running")}`}</small></span>
          <span>${t("auditor.rounds", { rounds: session.rounds })}</span>
        </button>
        ${open === session.id && html`<${SessionResults} session=${session} />`}
      </li>`,
    )}</ul>
    <${Pages} back=${before.length > 1 && (() => page(before.slice(0, -1)))} next=${loaded.value?.next && (() => page([...before, loaded.value.next]))} />
  </section>`;
}

function SessionResults({ session }) {
  const [after, page] = useState([0]);
  const loaded = useLoaded(() => api.results(session.id, after.at(-1), 20), [session.id, after.length]);
  const scores = session.names.map((name, seat) => `${name || t("seat.number", { seat })} ${number(session.scores[seat] ?? 0)}`);
  return html`<div class="nested">
    ${scores.length > 0 && html`<p>${t("auditor.scores", { scores: scores.join(", ") })}</p>`}
    <${Notice} error=${loaded.error} />
    ${loaded.value?.results.length === 0 && html`<${Empty}>${t("results.none")}<//>`}
    <ol class="results">${loaded.value?.results.map((result) => html`<${HandResult} key=${result.number} result=${result} session=${session.id} seats=${seatOf(session.names)} />`)}</ol>
    <${Pages} back=${after.length > 1 && (() => page(after.slice(0, -1)))} next=${loaded.value?.next && (() => page([...after, loaded.value.next]))} />
  </div>`;
}

function Pages({ back, next }) {
  if (!back && !next) return null;
  return html`<div class="actions">
    <button disabled=${!back} onClick=${back || null}>${t("page.back")}</button>
    <button disabled=${!next} onClick=${next || null}>${t("page.next")}</button>
  </div>`;
}

function Counts() {
  const { counts, tiles, recent } = state.status ?? {};
  if (!counts) return null;
  const rows = [
    [t("counts.rounds"), number(counts.rounds)],
    [t("counts.tiles"), t("counts.tiles_of", { accounted: number(tiles.accounted), expected: number(tiles.expected) })],
    [t("counts.faults"), number(counts.faults)],
    [t("counts.paused"), duration(counts.paused_s)],
    ...Object.entries(counts.recoveries).map(([code, times]) => [t("counts.recovered", { fault: faultTitle(code) }), number(times)]),
    ...Object.entries(counts.assists).map(([code, times]) => [t("counts.assisted", { fault: faultTitle(code) }), number(times)]),
  ];
  return html`<section class="card">
    <h2>${t("counts.title")}</h2>
    <ul class="rows">${rows.map(([name, value]) => html`<li><span>${name}</span><b>${value}</b></li>`)}</ul>
    <${RecentEvents} events=${recent} />
  </section>`;
}

/** Counts over all starts of the table, which the audit log proves. */
function LifeCounts() {
  const { power_ups, lid_openings, service_entries, events } = state.status?.audit ?? {};
  const rows = [
    [t("counts.power_ups"), power_ups],
    [t("counts.lid_openings"), lid_openings],
    [t("counts.service_entries"), service_entries],
    [t("counts.audit_events"), events],
  ];
  return html`<section class="card">
    <h2>${t("counts.life")}</h2>
    <ul class="rows">${rows.map(([name, value]) => html`<li><span>${name}</span><b>${number(value ?? 0)}</b></li>`)}</ul>
  </section>`;
}

function Journal() {
  const [after, page] = useState([0]);
  const loaded = useLoaded(() => api.journal(after.at(-1)), [after.length]);
  const lines = loaded.value ?? [];
  const numberOf = (line) => Number(/^\{"number":(\d+)/.exec(line)?.[1] ?? 0);
  const last = lines.length ? numberOf(lines.at(-1)) : 0;
  return html`<section class="card wide">
    <h2>${t("auditor.journal")}</h2>
    <${Notice} error=${loaded.error} />
    ${loaded.value && !lines.length && html`<${Empty}>${t("auditor.no_journal")}<//>`}
    <ol class="journal" lang="en" tabindex="0" aria-label=${t("auditor.journal")}>${lines.map((line) => html`<li><code>${line}</code></li>`)}</ol>
    <${Pages} back=${after.length > 1 && (() => page(after.slice(0, -1)))} next=${lines.length === JOURNAL_PAGE && last > 0 && (() => page([...after, last]))} />
    ${lines.length > 0 && html`<${SaveFile} path="journal.ndjson" name="journal.ndjson" words=${t("auditor.save_journal")} />`}
  </section>`;
}
