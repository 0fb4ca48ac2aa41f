/**
 * What a result's form asks for next, and the result that the answers give. Functions without a page.
 *
 * `given` has the answers by field; null is the answer that leaves an optional field out.
 */

/** The kinds of fields that one tap answers. */
const TAPPED = ["seat", "choice", "yes_no"];

/** The seats of a form, from 0. */
export const seatsOf = (form) => Array.from({ length: form.seats }, (_, seat) => seat);

const valueOf = (form, given, name) => given[name] ?? form.fields.find((each) => each.name === name)?.known ?? null;

/** Whether the answers so far ask for a field: those of the fields in its `when`. */
export const isAsked = (form, field, given) =>
  Object.entries(field.when ?? {}).every(([name, values]) => values.includes(valueOf(form, given, name)));

/** The seat that has no value in a list with one value for each seat, such as the bank. */
export const seatLeftOut = (form, field, given) => (field.except_seat ? valueOf(form, given, field.except_seat) : null);

/** The seats that a field of this kind can name. */
export const seatsFor = (form, field, given) =>
  seatsOf(form).filter((seat) => seat !== seatLeftOut(form, field, given) && (!field.unlike || seat !== valueOf(form, given, field.unlike)));

/** Fields of the result that says who has won, which people answer with taps, in their order. */
const isTapped = (field) => field.depth === "who" && field.known === undefined && TAPPED.includes(field.kind);

/** The field that is asked next; undefined if the answers say who has won. */
export const nextField = (form, given) =>
  form.fields.find((field) => isTapped(field) && !(field.name in given) && isAsked(form, field, given));

/** The fields that count the hand, as far as the answers ask for them. Tiles are left to the judge. */
export const amountFields = (form, given) =>
  form.fields.filter((field) => field.depth === "amount" && isAsked(form, field, given));

/**
 * The answers to a field: [{field, value, gives}], where `gives` are the answers of one tap. If a choice
 * asks for a seat next, each seat is an answer of its own, with the choice as its `group`.
 */
export function answersOf(form, field, given) {
  const one = (value) => ({ field, value, gives: { [field.name]: value } });
  const left = field.needed === "who" ? [] : [one(null)];
  if (field.kind === "seat") return [...seatsFor(form, field, given).map(one), ...left];
  if (field.kind === "yes_no") return [one(true), one(false), ...left];
  return [...field.choices.flatMap((choice) => withSeat(form, one(choice), given)), ...left];
}

/** A choice, or each seat that it asks for. */
function withSeat(form, answer, given) {
  const { field, value } = answer;
  const next = nextField(form, { ...given, ...answer.gives });
  if (next?.kind !== "seat" || next.per_seat || !next.when?.[field.name]?.includes(value)) return [answer];
  return seatsFor(form, next, given).map((seat) => ({ field: next, value: seat, group: { field, value }, gives: { ...answer.gives, [next.name]: seat } }));
}

/** The value with which a field of an amount begins; undefined if a person has to choose it. */
export function firstValue(form, field, given) {
  if (field.known !== undefined) return field.known;
  const one = field.kind === "yes_no" ? false : field.kind === "number" && field.least <= 0 ? 0 : undefined;
  if (field.per_seat) return one === undefined ? undefined : perSeat(form, field, given, () => one);
  return field.kind === "seats" ? [] : one;
}

/** A list with a value for each seat that the field asks for. */
export const perSeat = (form, field, given, value) =>
  seatsOf(form).map((seat) => (seat === seatLeftOut(form, field, given) ? null : (value(seat) ?? null)));

/**
 * The result of the answers. `amounts` are the values of the fields that count the hand, null if it is
 * not counted; a needed field without a value gets the one that it shows.
 */
export function resultOf(form, given, amounts) {
  const result = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== null && isAsked(form, form.fields.find((each) => each.name === name), given)),
  );
  if (!amounts) return result;
  // A field can depend on one before it: the bid that was forced on the bid.
  for (const field of form.fields.filter((each) => each.depth === "amount")) {
    if (!isAsked(form, field, result)) continue;
    const value = amounts[field.name] ?? (field.needed ? firstValue(form, field, given) : undefined);
    if (value !== undefined) result[field.name] = value;
  }
  return result;
}

/** The answers and the amounts of a result, to continue it: {taps, amounts}. */
export function continued(form, result) {
  const amounts = Object.fromEntries(
    form.fields.filter((field) => field.depth === "amount" && result[field.name] !== undefined).map((field) => [field.name, result[field.name]]),
  );
  const taps = [];
  const given = {};
  for (let field = nextField(form, given); field; field = nextField(form, given)) {
    const tap = { [field.name]: result[field.name] ?? null };
    taps.push(tap);
    Object.assign(given, tap);
  }
  return { taps, amounts };
}
