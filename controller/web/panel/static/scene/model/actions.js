// Tiles that players show in a hand that the table follows, from the texts of their actions.
//
// The table does not know which tile of a hand a player discards: it knows the face that he names.
// The picture shows that face on the tile of his hand that was delivered last.

const FACE = /^(?:[1-9][mpszf]|[0-6]-[0-6]|(?:A|[2-9]|10|J|Q|K)[shdc])$/;

/** The state after `action_taken`; actions that show no tile leave the tiles as they are. */
export function withAction(state, event) {
  const [verb, ...rest] = event.do.split(" ");
  const faces = rest.map((word) => word.replace(/\*$/, "")).filter((word) => FACE.test(word));
  const change = new Change(state, event.seat);
  if (FACE.test(verb)) {
    change.lay([verb]);
  } else {
    switch (verb) {
      case "discard":
        change.lay(faces.length ? faces : [""]);
        break;
      case "play":
        change.lay(faces);
        break;
      case "flores":
        change.show(faces.length ? faces : [""]);
        break;
      case "chow":
      case "pong":
      case "kong":
        change.claim(verb, faces);
        break;
      case "add":
        change.show(faces);
        break;
      case "secret":
        change.show(faces.length ? faces : ["", "", "", ""]);
        break;
      case "win":
      case "show":
        change.reveal(faces);
        break;
      default:
    }
  }
  return change.state;
}

/** Changes of one seat's tiles; `state` is the result. */
class Change {
  constructor(state, seat) {
    this.seat = seat;
    this.tiles = new Map(state.tiles);
    this.counter = state.counter;
    this.before = state;
    this.last = state.lastLaid ?? null;
  }

  get state() {
    return {
      ...this.before, tiles: this.tiles, counter: this.counter, lastLaid: this.last,
      acts: (this.before.acts ?? 0) + 1,
    };
  }

  /** Hidden tiles of the seat, the one delivered last first. */
  hidden() {
    return [...this.tiles]
      .filter(([, tile]) => tile.where === "seat" && tile.seat === this.seat)
      .sort((one, other) => other[1].order - one[1].order)
      .map(([place]) => place);
  }

  put(place, where, face) {
    const tile = this.tiles.get(place);
    this.counter += 1;
    this.tiles.set(place, {
      ...tile, where, seat: this.seat, face, order: this.counter, at: null, carried: false, acted: true,
    });
  }

  /** Tiles go from the hand to the middle. */
  lay(faces) {
    const hidden = this.hidden();
    faces.slice(0, hidden.length).forEach((face, index) => {
      this.put(hidden[index], "played", face);
      this.last = { place: hidden[index], face, seat: this.seat };
    });
  }

  /** Tiles of the hand are laid before the seat. */
  show(faces) {
    const hidden = this.hidden();
    faces.slice(0, hidden.length).forEach((face, index) => this.put(hidden[index], "shown", face));
  }

  /** A set with the tile that was discarded last, or a set of four from the hand alone. */
  claim(verb, faces) {
    const shown = [...this.tiles.values()].filter(
      (tile) => tile.where === "shown" && tile.seat === this.seat && tile.face === faces[0]).length;
    if (verb === "kong" && faces.length === 1) {
      this.show(Array.from({ length: shown === 3 ? 1 : 4 }, () => faces[0]));
      return;
    }
    const taken = this.last && this.last.seat !== this.seat ? this.last : null;
    const size = verb === "kong" ? 4 : 3;
    let own = faces;
    if (!faces.length) own = Array.from({ length: size - 1 }, () => (taken ? taken.face : ""));
    else if (faces.length === size && taken) {
      const claimed = Math.max(0, faces.indexOf(taken.face));
      own = faces.filter((_, index) => index !== claimed);
    }
    this.show(own);
    if (taken) {
      this.put(taken.place, "shown", taken.face);
      this.last = null;
    }
  }

  /** The faces of the hidden tiles at the end of the hand. */
  reveal(faces) {
    const hidden = this.hidden().reverse();
    if (faces.length > hidden.length && this.last && this.last.seat !== this.seat) {
      hidden.push(this.last.place);
      this.last = null;
    }
    faces.slice(0, hidden.length).forEach((face, index) => this.put(hidden[index], "shown", face));
  }
}
