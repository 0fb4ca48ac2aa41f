/** Opens the judge with what the table has recorded of the present hand. */
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
    change({ drafts: { ...state.drafts, "judge.game": game, [`judge.${game}`]: values } });
  }
  location.hash = "#/judge";
}
