/** Sentences about the status: seats by wind and name, and what the table does now. */
import { plainWords, t, tOr } from "./messages.js";

/** A seat by its wind and its player's name, or by its number. */
export function seatWords(status, seat) {
  const found = status?.session?.seats?.find((each) => each.seat === seat);
  const place = found?.wind ? windWords(found.wind) : t("seat.number", { seat });
  return found?.name ? t("seat.with_name", { seat: place, name: found.name }) : place;
}

/** A sentence of the table in which "seat 0" is replaced by the wind and the name there. */
export function named(status, sentence) {
  if (!status?.session?.seats?.length) return sentence ?? "";
  return (sentence ?? "").replace(/\b[Ss]eats? (\d(?:(?:, | or | and )\d)*)\b/g, (_, seats) =>
    seats.replace(/\d/g, (seat) => seatWords(status, Number(seat))),
  );
}

/** A wind of the status, such as "East", in the present language. */
export const windWords = (wind) => tOr(`wind.${wind.toLowerCase()}`, wind);

/** The title of a game in the present language, or else from the list of games. */
export const gameTitle = (games, name) => tOr(`game.${name}`, games.find((each) => each.name === name)?.title ?? plainWords(name ?? ""));

/** Text and tone of the headline: what the table does, or what it waits for. */
export function headline(status) {
  if (!status) return { tone: "plain", text: t("now.loading") };
  if (status.fault || status.service?.state === "fault") return { tone: "fault", text: t("now.fault") };
  if (status.service?.state === "stopping") return { tone: "wait", text: t("now.stopping") };
  if (status.service?.state === "service_mode") return { tone: "wait", text: t("now.service_mode") };
  if (status.pause?.length) return { tone: "wait", text: t("now.paused") };
  if (status.prompts?.some((prompt) => prompt.kind === "fault")) return { tone: "fault", text: t("now.help") };
  if (!status.session) return { tone: "plain", text: t("now.idle") };
  const above = status.machine?.mode;
  if (above === "testing" || above === "homing") return { tone: "plain", text: t(`now.${above}`) };
  const phase = status.round?.phase ?? status.machine?.top ?? "clear";
  if (phase === "playing" && status.round?.over) return { tone: "plain", text: t("now.over") };
  if (phase === "clear") return { tone: "plain", text: tOr(`now.under.${status.machine?.under}`, t("now.clear")) };
  return { tone: "plain", text: tOr(`now.${phase}`, plainWords(phase)) };
}

/**
 * The second line under the headline: the step, the reason of a pause, or the next thing to do. `own`
 * says whether the table words it, in English.
 */
export function detail(status) {
  if (!status) return { text: "" };
  if (status.fault) return { text: status.fault.evidence, own: true };
  if (status.pause?.length) return { text: status.pause.map((cause) => causeWords(cause)).join(" ") };
  if (!status.session) return { text: t("now.idle.next") };
  if (status.round?.over) return { text: t("now.over.next") };
  // A prompt for a step says the same with more words.
  if (status.prompts?.some((prompt) => prompt.kind === "step" || prompt.kind === "face")) return { text: "" };
  return { text: named(status, status.round?.step), own: true };
}

/** The cause of a pause in words. */
export function causeWords(cause) {
  const where = [cause.board, cause.channel].filter(Boolean).join(", ");
  const why = tOr(`pause.${cause.why}`, plainWords(cause.why));
  return where ? t("pause.at", { why, where }) : why;
}

/** Prompts in the order of their urgency: safety first, then faults, then the oldest. */
export function orderedPrompts(status) {
  const rank = (prompt) => (prompt.safety ? 0 : prompt.kind === "fault" ? 1 : 2);
  return [...(status?.prompts ?? [])].sort((a, b) => rank(a) - rank(b) || a.since - b.since);
}

/** The title of a fault in the present language; its code if the catalogue of the page has none. */
export const faultTitle = (code) => tOr(`fault.${code}`, plainWords(code));
