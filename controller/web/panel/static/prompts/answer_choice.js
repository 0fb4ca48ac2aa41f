/** Answers a question with a list of choices: few as buttons, many as a list, a cut with a preview. */
import { t } from "../data/messages.js";
import { state } from "../data/store.js";
import { seatWords } from "../data/words.js";
import { moveInGrid } from "../frame/arrow_keys.js";
import { html, useState } from "../vendor/htm_preact.js";
import { ActionLabel, actionWords, verbWords } from "./action_words.js";
import { answerWords, choiceWords, isUsualAnswer } from "./answer_words.js";
import { ChoicePreview } from "./choice_preview.js";
import { DeclareWin } from "./declare_win.js";
import { headingOf } from "./prompt_heading.js";
import { Tile } from "./tile.js";
import { KINDS, setOfGame, tileWords } from "./tile_picker.js";

/** Up to this number of choices, one tap answers. */
const FEW = 4;
/** Above this number of choices, a field searches them. */
const MANY = 12;

export function AnswerChoice({ prompt, busy, answer }) {
  const [picked, pick] = useState(prompt.default || prompt.choices[0]?.value || "");
  const [typed, type] = useState("");
  const [search, seek] = useState("");
  const previewed = prompt.kind === "choice";
  const declares = prompt.declarations?.length > 0 && html`<${DeclareWin} prompt=${prompt} busy=${busy} answer=${answer} />`;
  if (prompt.choices.length <= FEW && !prompt.more && !previewed && seatsIn(prompt) <= 1) {
    return html`<div class="actions">
      ${prompt.choices.map(
        (choice) => html`<button class=${choice.value === prompt.default ? "primary" : ""} disabled=${busy} onClick=${() => answer(choice.value)}>
          <${Words} prompt=${prompt} choice=${choice} /></button>`,
      )}
    </div>${declares}`;
  }
  const wanted = search.trim().toLowerCase();
  const shown = prompt.choices.filter((choice) => `${wordsOf(prompt, choice)} ${choice.value}`.toLowerCase().includes(wanted));
  const send = (event) => {
    event.preventDefault();
    answer(typed.trim() || picked);
  };
  const arrow = (event) => moveInGrid(event, "input[type=radio]")?.click();
  const found = groups(prompt, shown);
  const chosen = typed.trim() || chosenWords(prompt, found, picked);
  return html`<form onSubmit=${send} onKeyDown=${arrow}>
    ${prompt.kind === "choice" && prompt.choices.length > MANY &&
    html`<label class="field"><span>${t("answer.search")}</span>
      <input type="search" value=${search} onInput=${(event) => seek(event.target.value)} /></label>`}
    ${found.map((group) => html`<${Group} key=${group.key} prompt=${prompt} group=${group} folded=${isFolded(group, found)}
      picked=${typed ? null : picked} pick=${(value) => (pick(value), type(""))} />`)}
    ${prompt.more &&
    html`<label class="field"><span>${t("answer.other")}</span>
      <input value=${typed} maxlength="500" autocomplete="off" onInput=${(event) => type(event.target.value)} /></label>`}
    ${declares}
    ${previewed && html`<${ChoicePreview} question=${prompt.code} answer=${picked} />`}
    <div class="actions decide">
      <button class="primary large" disabled=${busy || (!typed.trim() && !picked)}>${t("answer.choose")}${chosen && html`<span class="chosen">${chosen}</span>`}</button>
    </div>
  </form>`;
}

/** Above this number of tiles, only the first group of tiles is open. */
const SHORT = 10;

/** Whether a group of tiles begins folded: few hands need a kong, and each verb can have 34 tiles. */
const isFolded = (group, all) => group.tiles && group.choices.length > SHORT && group !== all.find((each) => each.tiles);

/** The choices of one seat and one verb, or all choices of another prompt. */
function Group({ prompt, group, folded, picked, pick }) {
  const { title, tiles, choices } = group;
  const [open, setOpen] = useState(!folded);
  const list = html`<fieldset class=${tiles ? "options tiles" : prompt.kind === "act" ? "options acts" : "options"}>
    <legend class=${title && !folded ? "" : "unseen"}>${title || headingOf(prompt)}</legend>
    ${choices.map(
      (choice, index) => html`<label key=${choice.value} class=${tiles && startsSuit(choices, index) ? "option starts-suit" : "option"}>
        <input type="radio" name=${prompt.id} aria-label=${tiles ? `${title}: ${tileWords(choice.face)}` : null}
          checked=${picked === choice.value} onChange=${() => pick(choice.value)} />
        <span>${tiles ? html`<${Tile} face=${choice.face} kind=${kindOfGame()} />` : html`<${Words} prompt=${prompt} choice=${choice} />`}
          ${choice.value === prompt.default && html` <small>${t("answer.usual")}</small>`}</span></label>`,
    )}
  </fieldset>`;
  if (!folded) return html`<div class="options-room">${list}</div>`;
  return html`<details class="folded" open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary>${title}</summary><div class="options-room">${list}</div></details>`;
}

/** What the button would answer, in words, for actions: the list may be longer than the window. */
function chosenWords(prompt, found, picked) {
  if (prompt.kind !== "act") return "";
  for (const { choices, tiles, verb } of found) {
    const choice = choices.find(({ value }) => value === picked);
    if (choice) return tiles ? `${verbWords(verb)} · ${tileWords(choice.face)}` : wordsOf(prompt, choice);
  }
  return "";
}

/** An answer in words: names such as `chee_yee` are written without their underscores. */
function wordsOf(prompt, choice) {
  if (prompt.kind === "act" && !isUsualAnswer(choice)) return actionWords(choice.label);
  const words = answerWords(choice);
  return prompt.kind === "choice" ? choiceWords(prompt.code, words) : words;
}

/** An answer in words, with the tiles of an action drawn. */
const Words = ({ prompt, choice }) =>
  prompt.kind === "act" && !isUsualAnswer(choice)
    ? html`<${ActionLabel} action=${choice.label} kind=${kindOfGame()} />`
    : wordsOf(prompt, choice);

/** The number of seats of which a prompt lists actions. */
const seatsIn = (prompt) =>
  prompt.kind === "act" ? new Set(prompt.choices.map(({ value }) => /^\d+(?= )/.exec(value)?.[0]).filter(Boolean)).size : 0;

/** Whether a tile is the first of its suit, which begins a row where there is room for one. */
const startsSuit = (choices, index) => index > 0 && choices[index].face?.at(-1) !== choices[index - 1].face?.at(-1);

const FACE = /^(\S+) ((?:[1-9][mpsfz])|(?:[0-6]-[0-6])|(?:(?:10|[2-9JQKA])[shcd]))$/;
const kindOfGame = () => KINDS[setOfGame(state.status?.programme?.now?.game ?? "")];

/** Actions by their seat, and by their verb if they name one tile; one group for any other choice. */
function groups(prompt, choices) {
  if (prompt.kind !== "act") return [{ key: "", title: "", tiles: false, choices }];
  const found = new Map();
  for (const choice of choices) {
    const seat = /^(\d+) /.exec(choice.value)?.[1] ?? "";
    const [, verb = "", face = ""] = FACE.exec(choice.label) ?? [];
    const key = `${seat} ${verb}`;
    const place = seat && seatWords(state.status, Number(seat));
    if (!found.has(key)) found.set(key, { key, verb, title: [place, verb && verbWords(verb)].filter(Boolean).join(" · "), tiles: Boolean(face), choices: [] });
    found.get(key).choices.push({ ...choice, face });
  }
  return [...found.values()].sort((one, other) => Number(one.tiles) - Number(other.tiles));
}
