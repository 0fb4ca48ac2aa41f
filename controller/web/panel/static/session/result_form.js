/** The form of a hand's result: one question after another, each answered by a tap, and the points. */
import { plainWords, t, tOr } from "../data/messages.js";
import { windWords } from "../data/words.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useState } from "../vendor/htm_preact.js";
import { amountFields, answersOf, continued, firstValue, nextField, perSeat, resultOf, seatsFor } from "./result_fields.js";

/** A field of a result as a question or a title. */
export const fieldWords = (field) => tOr(`result.field.${field.name}`, plainWords(field.name));
/** A choice of a field, such as `discard`. */
export const choiceOf = (choice) => tOr(`result.choice.${choice}`, plainWords(choice));

/** A seat of a hand in one line: the player's name, or else the wind or the number. */
export const seatName = (seats, seat) => seats[seat]?.name || placeWords(seats, seat);
const placeWords = (seats, seat) => (seats[seat]?.wind ? windWords(seats[seat].wind) : t("seat.number", { seat }));

/** A seat as large words: its name, and its wind below. */
const SeatLabel = ({ seats, seat }) => html`<span class="seat-label">${seatName(seats, seat)}
  ${seats[seat]?.name && html`<small>${placeWords(seats, seat)}</small>`}</span>`;

/** An answer in words. */
function answerWords(field, value, seats) {
  if (value === null) return tOr(`result.none.${field.name}`, t("result.not_said"));
  if (Array.isArray(value)) return value.map((one, seat) => one !== null && `${seatName(seats, seat)}: ${choiceOf(one)}`).filter(Boolean).join(", ");
  if (field.kind === "seat") return seatName(seats, value);
  return field.kind === "yes_no" ? t(value ? "result.yes" : "result.no") : choiceOf(value);
}

/** The answers of a result in words: [{field, words}]. */
export const wordsOfResult = (form, result, seats) =>
  form.fields
    .filter((field) => field.depth === "who" && result[field.name] !== undefined && field.known === undefined)
    .map((field) => ({ field, words: answerWords(field, result[field.name], seats) }));

/**
 * Asks for a result. `seats` are the seats of the hand; `result` is one to continue, with the points open.
 * `send(result)` reports it. With `lasts` people send it by a button, otherwise the last tap does.
 */
export function ResultForm({ form, seats, result, lasts, send, children }) {
  const [begun] = useState(() => (result ? continued(form, result) : { taps: [], amounts: {} }));
  const [taps, setTaps] = useState(begun.taps);
  const [amounts, setAmounts] = useState(begun.amounts);
  const [open, setOpen] = useState(Boolean(result));
  const [run, { busy, error }, forget] = useAction();
  const given = Object.assign({}, ...taps);
  const field = nextField(form, given);
  const counted = amountFields(form, { ...given, ...amounts });
  const wrong = error && counted.find((each) => open && error.message.startsWith(`${each.name}: `));
  const give = async (answers) => {
    const all = Object.assign({}, ...answers);
    if (await run(() => send(resultOf(form, all, open ? amounts : null)))) return;
    // The refusal stands beside the question whose answer was refused.
    if (!open && !lasts) setTaps(answers.slice(0, -1));
  };
  const tap = (gives) => {
    const next = [...taps, gives];
    forget();
    setTaps(next);
    if (!open && !lasts && !nextField(form, Object.assign({}, ...next))) give(next);
  };
  const back = (index) => {
    forget();
    setTaps(taps.slice(0, index));
  };
  const submit = (event) => {
    event.preventDefault();
    give(taps);
  };
  return html`<form class="result-form" onSubmit=${submit}>
    ${taps.length > 0 && html`<ul class="answered" aria-label=${t("result.answered")}>${taps.map(
      (gives, index) => html`<li key=${index}><button type="button" class="quiet small" disabled=${busy} onClick=${() => back(index)}
        title=${t("result.change")}>${tapWords(form, gives, seats)}</button></li>`,
    )}</ul>`}
    ${field && html`<${Question} key=${field.name} form=${form} field=${field} given=${given} seats=${seats} busy=${busy} tap=${tap} />`}
    ${!wrong && html`<${Notice} error=${error} />`}
    ${(counted.length > 0 || form.fields.some((each) => each.depth === "amount")) &&
    html`<details class="points" open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary>${t("result.points")}</summary>
      ${open && field && !counted.length && html`<p class="hint">${t("result.points_later")}</p>`}
      ${open && counted.map((each) => html`<div key=${each.name} class="amount-room">
        <${AmountField} form=${form} field=${each} given=${given} seats=${seats} value=${amounts[each.name]}
          set=${(value) => setAmounts((before) => ({ ...before, [each.name]: value }))} />
        ${wrong === each && html`<${Notice} error=${error} />`}</div>`)}
    </details>`}
    ${children}
    ${(open || lasts) && html`<div class="actions"><button class="primary large" disabled=${busy || Boolean(field)}>${t("result.report")}</button></div>`}
  </form>`;
}

/** What one tap has answered, such as "Discard · Mei". */
const tapWords = (form, gives, seats) =>
  Object.entries(gives)
    .map(([name, value]) => answerWords(form.fields.find((each) => each.name === name), value, seats))
    .join(" · ");

/** One question with its answers as large buttons; those of one choice stand in a row of their own. */
function Question({ form, field, given, seats, busy, tap }) {
  if (field.per_seat) return html`<${SeatRows} form=${form} field=${field} given=${given} seats=${seats} busy=${busy} tap=${tap} />`;
  const groups = [];
  for (const answer of answersOf(form, field, given)) {
    const title = answer.group ? choiceOf(answer.group.value) : "";
    if (!groups.length || groups.at(-1).title !== title) groups.push({ title, answers: [] });
    groups.at(-1).answers.push(answer);
  }
  return html`<fieldset class="question"><legend>${fieldWords(field)}</legend>
    ${groups.map(({ title, answers }) => html`<div class="answers" role=${title ? "group" : null} aria-label=${title || null}>
      ${title && html`<span class="answers-title" aria-hidden="true">${title}</span>`}
      ${answers.map((answer) => html`<button type="button" class=${answer.value === null ? "answer left-out" : "answer"} disabled=${busy}
        onClick=${() => tap(answer.gives)}>${answer.field.kind === "seat" && answer.value !== null
          ? html`<${SeatLabel} seats=${seats} seat=${answer.value} />`
          : answerWords(answer.field, answer.value, seats)}</button>`)}
    </div>`)}
  </fieldset>`;
}

/** A question about every seat: one row a seat. The last row that is chosen answers it. */
function SeatRows({ form, field, given, seats, busy, tap }) {
  const [rows, setRows] = useState({});
  const asked = seatsFor(form, field, given);
  const pick = (seat, choice) => {
    const next = { ...rows, [seat]: choice };
    setRows(next);
    if (asked.every((each) => next[each] !== undefined)) tap({ [field.name]: perSeat(form, field, given, (each) => next[each]) });
  };
  return html`<fieldset class="question"><legend>${fieldWords(field)}</legend>
    ${asked.map((seat) => html`<div key=${seat} class="seat-row" role="group" aria-label=${seatName(seats, seat)}>
      <${SeatLabel} seats=${seats} seat=${seat} />
      <div class="row-choices">${field.choices.map((choice) => html`<button type="button" class="answer" aria-pressed=${rows[seat] === choice}
        disabled=${busy} onClick=${() => pick(seat, choice)}>${choiceOf(choice)}</button>`)}</div></div>`)}
  </fieldset>`;
}

/** A field that counts the hand. A list with a value for each seat has one row a seat. */
function AmountField({ form, field, given, seats, value, set }) {
  const present = value ?? firstValue(form, field, given);
  if (field.kind === "seats") return html`<${SeatCounts} form=${form} field=${field} given=${given} seats=${seats} value=${present} set=${set} />`;
  if (!field.per_seat) return html`<${AmountInput} form=${form} field=${field} given=${given} seats=${seats} value=${present} set=${set} title=${fieldWords(field)} />`;
  const setOne = (seat) => (one) => set(perSeat(form, field, given, (each) => (each === seat ? one : (present?.[each] ?? null))));
  return html`<fieldset class="amount-rows"><legend>${fieldWords(field)}</legend>
    ${seatsFor(form, field, given).map((seat) => html`<${AmountInput} key=${seat} form=${form} field=${field} given=${given} seats=${seats}
      value=${present?.[seat]} set=${setOne(seat)} title=${seatName(seats, seat)} />`)}
  </fieldset>`;
}

/** Numbers up to this count are buttons side by side; longer ranges have a stepper. */
const FEW = 4;

/** The values of a field that can stand side by side; undefined for a longer range. */
function fewValues(form, field, given) {
  if (field.kind === "seat") return seatsFor(form, field, given);
  if (field.kind === "choice") return field.choices;
  const count = field.most - field.least + 1;
  return field.kind === "number" && count <= FEW && !field.per_seat ? Array.from({ length: count }, (_, at) => field.least + at) : undefined;
}

/** One value: a switch, a choice of few, or a number with a stepper. */
function AmountInput({ form, field, given, seats, value, set, title }) {
  if (field.kind === "yes_no") {
    return html`<label class="check amount"><span>${title}</span><input type="checkbox" role="switch" class="switch" checked=${Boolean(value)}
      onChange=${(event) => set(event.target.checked)} /></label>`;
  }
  const few = fewValues(form, field, given);
  if (!few) return html`<${Stepper} title=${title} least=${field.least} most=${field.most} value=${value} set=${set} />`;
  const words = (each) => (field.kind === "number" ? String(each) : field.kind === "seat" ? seatName(seats, each) : choiceOf(each));
  return html`<fieldset class="segments amount"><legend>${title}</legend>
    ${few.map((each) => html`<label key=${each}><input type="radio" name=${`${field.name}-${title}`} checked=${value === each}
      onChange=${() => set(each)} /><span>${words(each)}</span></label>`)}
  </fieldset>`;
}

/** A number between two keys that change it by one. */
function Stepper({ title, least, most, value, set }) {
  const step = (by) => () => set(Math.min(most, Math.max(least, value === undefined || value === null ? Math.max(least, 0) : value + by)));
  const read = (event) => {
    const typed = event.target.value.trim();
    set(typed === "" || !Number.isInteger(Number(typed)) ? undefined : Number(typed));
  };
  return html`<div class="amount stepper" role="group" aria-label=${title}><span>${title}</span>
    <button type="button" class="icon-only" aria-label=${t("result.less", { what: title })} disabled=${!(value > least)} onClick=${step(-1)}>−</button>
    <input type="number" inputmode="numeric" aria-label=${title} min=${least} max=${most} value=${value ?? ""} onChange=${read} />
    <button type="button" class="icon-only" aria-label=${t("result.more", { what: title })} disabled=${value >= most} onClick=${step(1)}>+</button>
  </div>`;
}

/** The most times that a list names one seat. */
const MOST_TIMES = 9;

/** A list of seats, as the number of times that it names each. */
function SeatCounts({ form, field, given, seats, value, set }) {
  const times = (seat) => value.filter((each) => each === seat).length;
  const setOne = (seat) => (count) => set([...value.filter((each) => each !== seat), ...Array(count ?? 0).fill(seat)].sort((one, other) => one - other));
  return html`<fieldset class="amount-rows"><legend>${fieldWords(field)}</legend>
    ${seatsFor(form, field, given).map((seat) => html`<${Stepper} key=${seat} title=${seatName(seats, seat)} least=${0} most=${MOST_TIMES}
      value=${times(seat)} set=${setOne(seat)} />`)}
  </fieldset>`;
}
