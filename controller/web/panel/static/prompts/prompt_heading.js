/** The heading of a prompt: in the present language, or else as the table words it. */
import { plainWords, t } from "../data/messages.js";
import { state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";

/** What a prompt asks, in a few words of the present language; empty if only the table words it. */
export function headingOf(prompt) {
  if (prompt.kind === "choice" && prompt.code) return t("prompt.choose", { what: plainWords(prompt.code) });
  if (prompt.kind === "act") return t("prompt.to_act", { seats: prompt.seats.map((seat) => seatWords(state.status, seat)).join("; ") });
  return "";
}

/** The table's own sentence: for a fault the request only, because the evidence stands below it. */
export const tableWords = (prompt) => (prompt.kind === "fault" ? prompt.request : named(state.status, prompt.text));
