/** Announces new prompts, faults and pauses to screen readers, in the two live regions. */
import { say } from "./live_regions.js";
import { t } from "./messages.js";
import { headline, named, orderedPrompts } from "./words.js";

/** Announce what is new in `after`: faults as an alert, prompts, phases and the question for a result as a status. */
export function announce(before, after) {
  const known = new Set((before?.prompts ?? []).map((prompt) => prompt.id));
  const fresh = orderedPrompts(after).filter((prompt) => !known.has(prompt.id));
  const urgent = fresh.filter((prompt) => prompt.kind === "fault" || prompt.safety);
  if (after.fault && after.fault.code !== before?.fault?.code) {
    say("announce-alert", `${t("now.fault")} ${after.fault.evidence} ${after.fault.cure}`);
  } else if (urgent.length) {
    say("announce-alert", urgent.map((prompt) => prompt.request || prompt.text).join(" "));
  }
  const calm = fresh.filter((prompt) => !urgent.includes(prompt));
  const now = headline(after).text;
  const { question } = after;
  if (question && question.hand !== before?.question?.hand) say("announce-status", t("result.title", { hand: question.hand }));
  else if (calm.length) say("announce-status", calm.map((prompt) => named(after, prompt.text)).join(" "));
  else if (now !== headline(before).text) say("announce-status", now);
}
