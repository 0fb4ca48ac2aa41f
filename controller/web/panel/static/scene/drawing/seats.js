// Draws the labels of the seats on the rim: wind, name, number of tiles, score.
import { element, text, write, writeText } from "./svg.js";
import { extent } from "./felt.js";

export class SeatLabels {
  constructor(parent, geometry, say) {
    this.say = say;
    this.labels = new Map();
    const out = extent(geometry) - 40;
    for (const seat of geometry.seats) {
      // Labels at the far side are upright; those at the sides are read from the table's middle.
      const along = shiftAlong(seat);
      const angle = seat.side === 1 ? -90 : seat.side === 3 ? 90 : 0;
      const x = seat.side === 1 ? out : seat.side === 3 ? -out : along;
      const y = seat.side === 0 ? out : seat.side === 2 ? -out : -along;
      const group = element("g", { class: "scene-seat", transform: `translate(${x} ${y}) rotate(${angle})` }, parent);
      const plate = element("rect", { class: "scene-plate", rx: 14 }, group);
      const name = text("", { class: "scene-seat-name" }, group);
      this.labels.set(seat.seat, { group, plate, name, room: seat.half * 2000 });
    }
  }

  /** Shows the seats of a state; `hands` are the tiles counted at each seat; `size` is the text's. */
  show(state, hands, size) {
    for (const [seat, label] of this.labels) {
      const known = state.seats.get(seat);
      const asked = state.prompts.some((prompt) => (prompt.seats ?? []).includes(seat));
      const name = (known && known.name) || this.say("seat", { seat });
      const tiles = hands.get(seat) ?? 0;
      const parts = [known && known.wind ? `${this.say(known.wind)} · ${name}` : name];
      if (tiles) parts.push(this.say("tiles", { tiles }));
      if (known && known.score) parts.push(String(known.score));
      writeText(label.name, fitted(parts, label.room / (size * 0.55)));
      const dealer = known ? known.dealer : false;
      write(label.group, "class",
        `scene-seat${asked ? " is-asked" : ""}${dealer ? " is-dealer" : ""}`);
      const width = Math.min(label.room, label.name.textContent.length * size * 0.56 + size * 1.2);
      write(label.plate, "x", -width / 2);
      write(label.plate, "width", width);
      write(label.plate, "y", -size * 0.8);
      write(label.plate, "height", size * 1.6);
    }
  }
}

/** Joins the parts; leaves out the last ones, then cuts the name, if it is too long. */
function fitted(parts, letters) {
  const kept = [...parts];
  while (kept.length > 1 && kept.join(" · ").length > letters) kept.splice(1, 1);
  const whole = kept.join(" · ");
  return whole.length > letters ? `${whole.slice(0, Math.max(3, Math.floor(letters) - 1))}…` : whole;
}

function shiftAlong(seat) {
  const along = seat.side % 2 === 0 ? seat.x : seat.y;
  return Math.round(along * 1000);
}
