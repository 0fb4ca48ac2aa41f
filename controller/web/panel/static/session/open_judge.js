/** Opens the judge with what the table has recorded: of the present hand, or of a hand that is over. */
import { api } from "../api.js";
import { change, state } from "../data/store.js";

/** The field of a case that holds the tile that was turned up, by game. */
const TURNED_UP = { wenzhou: "indicator", filipino: "joker" };

export function openJudge() {
  const game = state.status?.programme?.now?.game;
  const round = state.status?.round;
  if (game) {
    const values = {};
    if (TURNED_UP[game] && round?.indicator_face) values[TURNED_UP[game]] = round.indicator_face;
    if (TURNED_UP[game] && round) values.dealer = round.dealer;
    change({ drafts: { ...state.drafts, "judge.game": game, [`judge.${game}`]: values, "judge.source": null } });
  }
  location.hash = "#/judge";
}

/**
 * Fill the judge with the case of a recorded hand, of one seat if it depends on it. Raises ApiError.
 * A person who has gone to another view before the reply stays there.
 */
export async function openRecordedCase(session, hand, seat) {
  const asked = location.hash;
  const made = await api.recordedCase(session, hand, seat);
  if (location.hash !== asked) return;
  const { game, ...values } = made.case;
  const source = { session, hand, game, seat, settled: made.settled, seats: made.seats };
  change({ drafts: { ...state.drafts, "judge.game": game, [`judge.${game}`]: values, "judge.source": source } });
  location.hash = "#/judge";
}
