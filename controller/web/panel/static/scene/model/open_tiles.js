// Tiles of a hand that lie open, from the status: for a page that has not received every action,
// and for actions of which only the rules say what they changed, such as a claim that others beat.

/** Whether the tiles of a state that lie open are those of `open` (`round.open_tiles`). */
export function showsOpenTiles(tiles, open) {
  const drawn = [];
  for (const tile of tiles.values()) {
    if (tile.where === "pool") drawn.push(`pool ${tile.face}`);
    else if (tile.where === "shown" || tile.where === "played") drawn.push(`${tile.where} ${tile.seat} ${tile.face}`);
  }
  const wanted = open.played.map(({ seat, face }) => `played ${seat} ${face}`);
  wanted.push(...(open.pool ?? []).map((face) => `pool ${face}`));
  for (const { seat, faces } of open.sets) wanted.push(...faces.map((face) => `shown ${seat} ${face}`));
  return drawn.sort().join() === wanted.sort().join();
}

/**
 * The state with the sets and the played tiles of `open` (`round.open_tiles` of the status).
 *
 * The status has faces by seat and not places: each of them is shown on a tile of the seat that
 * put it there, the one delivered last first, as the events of the actions do. Mixed discards have no
 * seat: their faces are shown on the tiles of the pool, on the same ones as in `before` if possible.
 */
export function withOpenTiles(state, open, before = new Map()) {
  const tiles = new Map(state.tiles);
  const hidden = new Map();
  for (const [place, tile] of [...tiles].sort((one, other) => one[1].order - other[1].order)) {
    if (tile.where !== "seat") continue;
    if (!hidden.has(tile.seat)) hidden.set(tile.seat, []);
    hidden.get(tile.seat).push(place);
  }
  let counter = state.counter;
  const put = (from, where, seat, face) => {
    const place = hidden.get(from)?.pop();
    if (place === undefined) return null;
    counter += 1;
    tiles.set(place, {
      ...tiles.get(place), where, seat, face, order: counter, at: null, carried: false, acted: true,
    });
    return place;
  };
  for (const set of open.sets) {
    set.faces.forEach((face, index) => {
      if (index !== set.claimed) put(set.seat, "shown", set.seat, face);
    });
    if (set.claimed !== null) put(set.source, "shown", set.seat, set.faces[set.claimed]);
  }
  let lastLaid = null;
  for (const { seat, face } of open.played) {
    const place = put(seat, "played", seat, face);
    if (place !== null) lastLaid = { place, face, seat };
  }
  for (const [place, face] of facesOfPool(tiles, open.pool ?? [], before)) {
    tiles.set(place, { ...tiles.get(place), face });
  }
  return { ...state, tiles, counter, lastLaid };
}

/** A face for each place of the pool; a tile that lay there before keeps its face. */
function facesOfPool(tiles, pool, before) {
  const left = [...pool];
  const open = [];
  const faces = new Map();
  for (const [place, tile] of tiles) {
    if (tile.where !== "pool") continue;
    const old = before.get(place);
    const index = old && old.where === "pool" ? left.indexOf(old.face) : -1;
    if (index >= 0) faces.set(place, left.splice(index, 1)[0]);
    else open.push(place);
  }
  for (const place of open) faces.set(place, left.shift() ?? "");
  return faces;
}
