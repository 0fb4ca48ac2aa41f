/** Answers of prompts in the present language. */
import { tOr } from "../data/messages.js";
import { state } from "../data/store.js";
import { named } from "../data/words.js";

const KNOWN = {
  done: "answer.done",
  stop: "answer.stop",
  clear: "answer.clear",
  unknown: "answer.unknown",
  throw: "answer.throw",
  "simulated player": "answer.simulated_player",
};

const keyOf = ({ value, label }) => KNOWN[value] ?? KNOWN[label];

/** Whether an answer is one of those that many prompts offer, such as "done". */
export const isUsualAnswer = (choice) => Boolean(keyOf(choice));

/** A usual answer in the present language; any other answer as the table words it. */
export function answerWords(choice) {
  const key = keyOf(choice);
  return key ? tOr(key, choice.label) : named(state.status, choice.label);
}
