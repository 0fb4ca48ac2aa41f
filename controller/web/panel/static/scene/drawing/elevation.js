// Draws a pile from the front, level by level, while a cut is set up. Stacks that were moved forward
// are drawn on a shelf of their own above the row.
import { positionOf } from "../model/events.js";
import { element, text, write } from "./svg.js";

const SCALE = 1.5;
const PUSHED = 0.01;
/** Distance in metres from the pile's row beyond which a stack counts as moved forward. */
const OPPOSITE = 0.4;
/** Distance beyond which tiles are still in the tray on the opposite side. */
const GROUND = -76;

export class Elevation {
  constructor(parent, geometry, say) {
    this.geometry = geometry;
    this.group = element("g", { class: "scene-elevation", visibility: "hidden" }, parent);
    this.drawn = new Map();
    if (geometry.layout !== "pile") return;
    const { width, height } = geometry.tile;
    this.width = width * 1000 * SCALE;
    this.height = height * 1000 * SCALE;
    const slots = Object.values(geometry.slots);
    this.row = Math.min(...slots.map((slot) => slot.y));
    element("rect", { class: "scene-card", x: -226, y: -264, width: 452, height: 204, rx: 16 }, this.group);
    element("path", { class: "scene-ground", d: `M-206 ${GROUND}H206` }, this.group);
    this.shelf = GROUND - 4 * this.height - 12;
    element("path", { class: "scene-ground is-shelf", d: `M-206 ${this.shelf}H206` }, this.group);
    text(say("pile"), { class: "scene-card-title", y: -247 }, this.group);
    for (const place of Object.keys(geometry.slots)) this.drawn.set(place, this.tile(place));
  }

  tile(place) {
    const group = element("g", { class: "scene-side", "data-side": place }, this.group);
    element("rect", {
      class: "scene-side-body", x: -this.width / 2 + 0.8, y: -this.height, width: this.width - 1.6,
      height: this.height - 1, rx: 2.5,
    }, group);
    element("rect", {
      class: "scene-side-back", x: -this.width / 2 + 0.8, y: -this.height, width: this.width - 1.6,
      height: this.height * 0.4, rx: 2.5,
    }, group);
    return group;
  }

  /** Shows the pile of a state; it is hidden before the pile stands and after the last packet. */
  show(state) {
    if (!this.drawn.size) return;
    const standing = [...state.tiles].filter(([, tile]) => tile.where === "wall");
    const visible = standing.length > 0 && state.readyLamp === false;
    write(this.group, "visibility", visible ? "visible" : "hidden");
    if (!visible) return;
    for (const [place, group] of this.drawn) {
      const tile = state.tiles.get(place);
      const spot = tile && tile.where === "wall" ? positionOf(state, this.geometry, place) : null;
      const stands = spot !== null && spot.y - this.row < OPPOSITE;
      write(group, "visibility", stands ? "inherit" : "hidden");
      if (!stands) continue;
      const moved = Math.abs(spot.y - this.row) > PUSHED;
      const x = Math.round(spot.x * 1000 * SCALE * 10) / 10;
      const y = (moved ? this.shelf : GROUND) - spot.level * this.height;
      write(group, "transform", `translate(${x} ${y.toFixed(1)})`);
      const lit = state.lit.includes(place);
      write(group, "class", `scene-side${moved ? " is-moved" : ""}${lit ? " is-lit" : ""}`);
    }
  }
}
