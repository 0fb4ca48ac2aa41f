/** Answers of prompts in the present language. */
import { plainWords, t, tOr } from "../data/messages.js";
import { state } from "../data/store.js";
import { named, seatWords } from "../data/words.js";

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

/** An answer of a choice: `chee_yee` is "Chee yee", and `2 right` names a wall by its seat and its end. */
export function choiceWords(question, answer) {
  const [, seat, end] = /^(\d) (right|left)$/.exec(answer) ?? [];
  if (question === "wall" && end) return t(end === "right" ? "choice.wall_right" : "choice.wall_left", { seat: seatWords(state.status, Number(seat)) });
  if (!/^[a-z_]+(\+[a-z_]+)*$/.test(answer)) return String(answer);
  return tOr(`choice.${answer}`, plainWords(answer.replaceAll("+", " + ")));
}
