/** Sentences about tables, alarms and figures, and the order in which tables are listed. */
import { duration, number, t } from "./messages.js";
import { floorTime, state } from "./store.js";

/** Conditions, those first that need a person. */
export const CONDITIONS = [
  "fault", "help", "log", "disconnected", "paused", "service", "out_of_play", "waiting", "playing", "idle", "switched_off", "new",
];
/** Windows of the figures, hours. */
export const HOURS = [1, 8, 24, 168];

/** Seconds since a time of the floor or of a table; null for no time. */
export function secondsSince(text) {
  const at = Date.parse(text);
  return text && !Number.isNaN(at) ? Math.max(0, (floorTime() - at) / 1000) : null;
}

/** How long something lasts already: "45 s", "3 min 20 s"; empty for no time. */
export function lasting(text) {
  const seconds = secondsSince(text);
  if (seconds === null) return "";
  if (seconds >= 172800) return t("unit.days", { days: Math.floor(seconds / 86400) });
  return duration(seconds);
}

/** The same for a small place: "45 s", "3 min", "5 h". */
export function lastingShort(text) {
  const seconds = secondsSince(text);
  if (seconds === null || seconds < 60) return lasting(text);
  if (seconds < 3600) return t("unit.minutes", { min: Math.floor(seconds / 60) });
  return seconds < 172800 ? t("unit.hours", { h: Math.floor(seconds / 3600) }) : lasting(text);
}

/** Tables that need a person first, the longest wait first; then by condition and name. */
export function orderedTables(tables = [...state.tables.values()]) {
  const rank = (table) => CONDITIONS.indexOf(table.condition);
  const since = (table) => Date.parse(table.since) || Infinity;
  const names = new Intl.Collator("en", { numeric: true });
  return tables.sort(
    (a, b) => rank(a) - rank(b) || (a.needs_person ? since(a) - since(b) || 0 : 0) || names.compare(a.name, b.name),
  );
}

/** The role that is needed, in the present language. */
export function roleWords(role) {
  const known = ["dealer", "attendant", "technician", "player"].includes(role) ? role : "attendant";
  const words = t(`role.${known}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The open alarms of a table. */
export const alarmsOf = (name) => state.alarms.filter((alarm) => alarm.table === name);

/** A figure with its unit; a dash for none. */
export const figure = (value) => (value === null || value === undefined ? "–" : number(value));
export const figureTime = (value) => (value === null || value === undefined ? "–" : duration(value));
