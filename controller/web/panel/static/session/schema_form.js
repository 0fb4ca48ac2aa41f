/**
 * A form generated from a JSON schema of named values: switches, choices, numbers, lists, texts.
 *
 * `values` has the values that differ from the defaults. `set` receives a function from the present values to the next.
 */
import { plainWords, t } from "../data/messages.js";
import { html, useState } from "../vendor/htm_preact.js";

/** The schema behind a `$ref` and behind a choice between a value and null. */
export function resolved(schema, root) {
  let present = schema;
  if (present.$ref) {
    const target = present.$ref.replace("#/", "").split("/").reduce((at, key) => at?.[key], root);
    present = { ...target, ...present, $ref: undefined };
  }
  const variants = (present.anyOf ?? []).filter((each) => each.type !== "null");
  if (present.anyOf && variants.length === 1) {
    return resolved({ ...variants[0], ...present, anyOf: undefined, nullable: true }, root);
  }
  return present;
}

/** How a value is entered: "switch", "choice", "number", "list" or "text". */
export function kindOf(schema) {
  if (schema.enum || schema.const !== undefined) return "choice";
  if (schema.type === "boolean") return "switch";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "array") return "list";
  return "text";
}

export function SchemaForm({ schema, values, set, skip = [], seats }) {
  const fields = Object.entries(schema?.properties ?? {}).filter(([name]) => !skip.includes(name));
  const setOne = (name, own) => (value) =>
    set((before) => {
      const next = { ...before };
      if (value === undefined || same(value, own.default)) delete next[name];
      else next[name] = value;
      return next;
    });
  return html`<div class="schema-form">
    ${fields.map(([name, raw]) => {
      const own = resolved(raw, schema);
      return html`<${Field} key=${name} name=${name} schema=${own} seats=${SEATS.includes(name) ? seats : undefined} changed=${name in values}
        value=${values[name] ?? own.default} set=${setOne(name, own)} />`;
    })}
  </div>`;
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function Field({ name, schema, value, changed, set, seats }) {
  const id = `rule-${name}`;
  const kind = seats ? "choice" : kindOf(schema);
  const Input = INPUTS[kind];
  return html`<div class=${`rule is-${seats ? "seat" : kind} ${changed ? "changed" : ""}`}>
    <div class="rule-words">
      <label for=${id} lang="en">${schema.title && schema.title.includes(" ") ? schema.title : plainWords(name)}</label>
      ${schema.description && html`<p id=${`${id}-what`} lang="en">${schema.description}</p>`}
    </div>
    <div class="rule-value">
      <${Input} id=${id} schema=${schema} value=${value} set=${set} seats=${seats} described=${schema.description ? `${id}-what` : null} />
      ${changed && html`<button type="button" class="quiet small" onClick=${() => set(undefined)}
        aria-label=${t("rules.reset_one", { name: plainWords(name) })}>${t("rules.reset")}</button>`}
    </div>
  </div>`;
}

const Switch = ({ id, value, set, described }) => html`<input type="checkbox" role="switch" class="switch" id=${id}
  checked=${Boolean(value)} aria-describedby=${described} onChange=${(event) => set(event.target.checked)} />`;

/** Names of the fields that hold a seat, if the form is given the words of the seats. */
const SEATS = ["seat", "dealer", "discarder", "bidder", "out", "owner"];

function Choice({ id, schema, value, set, seats, described }) {
  const options = seats ? [undefined, ...seats.keys()] : (schema.enum ?? [schema.const]);
  const words = (option) => (seats ? (seats[option] ?? "–") : typeof option === "string" ? plainWords(option) : String(option));
  return html`<select id=${id} aria-describedby=${described} onChange=${(event) => set(options[event.target.selectedIndex])}>
    ${options.map((option) => html`<option selected=${same(option, value)}>${words(option)}</option>`)}
  </select>`;
}

/**
 * The properties of a field that has the text `shown`. What a person types is kept until `commit`
 * takes it: a redraw meanwhile would restore `shown`.
 */
function useTyped(shown, commit) {
  const [typed, type] = useState(null);
  return {
    value: typed ?? shown,
    onInput: (event) => type(event.target.value),
    onChange: (event) => {
      commit(event);
      type(null);
    },
    onBlur: () => type(null),
  };
}

function NumberInput({ id, schema, value, set, described }) {
  const read = (event) => {
    const given = event.target.value.trim();
    if (given === "") set(undefined);
    else if (Number.isFinite(Number(given))) set(Number(given));
  };
  return html`<input type="number" id=${id} ...${useTyped(value ?? "", read)} aria-describedby=${described}
    min=${schema.minimum ?? schema.exclusiveMinimum} max=${schema.maximum}
    step=${schema.type === "integer" ? 1 : "any"} />`;
}

/**
 * A list is typed with commas: `2, 4, 6, 8`. Semicolons divide lists of lists, `6-4 5-5; 1-0`, and
 * lists of texts that contain commas.
 */
function List({ id, schema, value, set, described }) {
  const item = schema.items || schema.prefixItems?.[0] || {};
  const numbers = item.type === "integer" || item.type === "number";
  const nested = item.type === "array";
  const entries = value ?? [];
  const wide = nested || entries.some((entry) => String(entry).includes(","));
  const shown = nested ? entries.map((inner) => inner.join(" ") || "-") : entries;
  const read = (event) => {
    const text = event.target.value;
    const parts = text.split(nested || text.includes(";") ? ";" : ",").map((part) => part.trim()).filter(Boolean);
    if (nested) set(parts.map((part) => (part === "-" ? [] : part.split(/[\s,]+/))));
    else set(numbers ? parts.map((part) => (Number.isFinite(Number(part)) ? Number(part) : part)) : parts);
  };
  return html`<input id=${id} ...${useTyped(shown.join(wide ? "; " : ", "), read)} inputmode=${numbers ? "numeric" : "text"} autocomplete="off"
    aria-describedby=${described} />`;
}

const Text = ({ id, value, set, described }) => html`<input id=${id} autocomplete="off" aria-describedby=${described}
  ...${useTyped(value ?? "", (event) => set(event.target.value || undefined))} />`;

const INPUTS = { switch: Switch, choice: Choice, number: NumberInput, list: List, text: Text };
