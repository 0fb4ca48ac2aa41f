// Places and seats in the words by which a person at the table finds them.

/** A seat of the picture by its wind and its player's name, or by its number. */
export function seatOf(state, seat, say) {
  const known = state.seats.get(seat);
  const place = known?.wind ? say(known.wind) : say("seat", { seat });
  return known?.name ? say("named", { seat: place, name: known.name }) : place;
}

/** A place such as `w1.6u` in words: "wall of South, stack 6 from its right end, upper tile". */
export function placeWords(place, state, say) {
  const [, owner, column, level] = /^w(\d+)\.(\d+)([ul])$/.exec(place) ?? [];
  if (owner) return say(level === "u" ? "place_upper" : "place_lower", { seat: seatOf(state, Number(owner), say), stack: column });
  const [, stack, depth] = /^p(\d+)\.(\d+)$/.exec(place) ?? [];
  if (stack) return say("place_pile", { stack, tile: depth });
  const [, kind, number] = /^([bkh])(\d+)$/.exec(place) ?? [];
  if (kind === "h") return say("place_hand", { seat: seatOf(state, Number(number), say) });
  if (kind) return say(kind === "b" ? "place_boneyard" : "place_cards", { tile: number });
  return place;
}
