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

/** A usual answer in the present language; any other answer as the table words it. */
export function answerWords({ value, label }) {
  const key = KNOWN[value] ?? KNOWN[label];
  return key ? tOr(key, label) : named(state.status, label);
}
