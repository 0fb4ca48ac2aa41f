/** Message catalogues: `t(key, values)` is the message in the present language. */
import { chosenLanguage, languageTag, remember } from "./settings.js";

let catalogue = {};
let language = "en";
let lastLoad = Promise.resolve();

/** The seconds after which the load of a catalogue fails. */
const LIMIT = 20;
/** The seconds after which a page that has no catalogue yet tries again. */
const AGAIN = 1;

/** Load a language's catalogue and use it from now on. Raises TypeError if it cannot be loaded, and
 * a TimeoutError after 20 s. Loads follow one another: the language chosen last is the one used. */
export function useLanguage(next) {
  lastLoad = lastLoad.catch(() => {}).then(() => load(next));
  return lastLoad;
}

async function load(next) {
  const address = new URL(`../messages/${next}.json`, import.meta.url);
  const reply = await fetch(address, { signal: AbortSignal.timeout(1000 * LIMIT) });
  if (!reply.ok) throw new TypeError(`${address} was answered with ${reply.status}.`);
  catalogue = await reply.json();
  language = next;
  document.documentElement.lang = languageTag(next);
}

/** Load the chosen language. A table that just restarts has it a moment later. */
export async function loadMessages() {
  for (;;) {
    try {
      return await useLanguage(chosenLanguage());
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000 * AGAIN));
    }
  }
}

/** Change the language and remember it. */
export async function changeLanguage(next) {
  await useLanguage(next);
  remember("language", next);
}

export const presentLanguage = () => language;

/** The message, with `{name}` replaced by the value of that name; the key if there is none. */
export function t(key, values = {}) {
  const message = catalogue[key] ?? key;
  return message.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The message, or `otherwise` if the catalogue has no such key. */
export const tOr = (key, otherwise) => catalogue[key] ?? otherwise;

/** A code such as `LEASE_EXPIRED` or a name such as `dealer_scale`, in ordinary letters. */
export function plainWords(code) {
  const words = String(code).replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The messages whose keys begin with `prefix`, by the rest of their keys. */
export function words(prefix) {
  const own = Object.entries(catalogue).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, message]) => [key.slice(prefix.length), message]));
}

/** The words of the table's picture: its own, and the names of tiles and of faults. */
export const pictureWords = () => ({ ...words("scene."), ...keyed("tile.", words("tile.")), ...keyed("suit.", words("suit.")), ...keyed("fault.", words("fault.")) });

const keyed = (prefix, found) => Object.fromEntries(Object.entries(found).map(([key, message]) => [prefix + key, message]));

/** A number in the notation of the present language. */
export const number = (value) => new Intl.NumberFormat(languageTag(language)).format(value);

/** A date and time in the notation of the present language; empty for no date. */
export function dateTime(text) {
  const at = new Date(text);
  if (!text || Number.isNaN(at.getTime())) return text ?? "";
  return new Intl.DateTimeFormat(languageTag(language), { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** A duration in whole units: "45 s", "3 min 20 s", "2 h 5 min". */
export function duration(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return t("unit.s", { s });
  if (s < 3600) return t("unit.min", { min: Math.floor(s / 60), s: s % 60 });
  return t("unit.h", { h: Math.floor(s / 3600), min: Math.floor((s % 3600) / 60) });
}
