// Draws the parts of the machine: drum, lid, heads, trays below, gantry, dice, lamps.
import { across, down, element, text, write, writeText } from "./svg.js";

const TILES_IN_DRUM = 48;
const TURN = { building: 100, shuffling: 140 };
/** Degrees a second that the drum turns in the picture (ours). */

/** The drum with its fill, the lid, and the heads with their counts. */
export class DrumDrawing {
  constructor(parent, geometry) {
    this.geometry = geometry;
    this.group = element("g", { class: "scene-below" }, parent);
    this.turning = null;
    this.heads = new Map();
    const { drum, lid } = geometry;
    if (drum) {
      this.radius = drum.radius * 1000;
      element("circle", { class: "scene-drum", r: this.radius }, this.group);
      this.around = 2 * Math.PI * (this.radius - 7);
      element("circle", { class: "scene-drum-track", r: this.radius - 7 }, this.group);
      this.fill = element("circle", {
        class: "scene-drum-fill", r: this.radius - 7, transform: "rotate(-90)",
      }, this.group);
      this.turning = element("g", {}, this.group);
      this.spokes();
      this.pieces = this.heap();
      this.count = text("", { class: "scene-count scene-drum-count", y: 0 }, this.group);
    }
    if (lid) this.lid = element("circle", { class: "scene-lid", r: lid.radius * 1000 }, this.group);
    for (const [name, head] of Object.entries(geometry.heads)) this.heads.set(name, this.head(head));
  }

  spokes() {
    for (let step = 0; step < 6; step += 1) {
      element("path", {
        class: "scene-spoke", d: `M0 ${-this.radius + 16}V${-this.radius + 34}`, transform: `rotate(${60 * step})`,
      }, this.turning);
    }
  }

  heap() {
    return Array.from({ length: TILES_IN_DRUM }, (_, index) => {
      // A sunflower spiral spreads the tiles evenly over the disc.
      const far = Math.sqrt((index + 0.5) / TILES_IN_DRUM) * (this.radius - 34);
      const angle = index * 137.5;
      return element("rect", {
        class: "scene-loose", x: -9, y: -6, width: 18, height: 12, rx: 2.5, visibility: "hidden",
        transform: `rotate(${angle.toFixed(1)}) translate(${far.toFixed(1)} 0) rotate(${(index * 71) % 180})`,
      }, this.turning);
    });
  }

  head(head) {
    const spot = element("g", {
      class: "scene-head", transform: `translate(${across(head.x)} ${down(head.y)})`,
    }, this.group);
    const turned = element("g", { transform: `rotate(${-90 * head.turn})` }, spot);
    element("rect", { class: "scene-head-body", x: -24, y: -15, width: 48, height: 30, rx: 7 }, turned);
    element("path", { class: "scene-head-arrow", d: "M-8 -5L0 4L8 -5" }, turned);
    element("rect", { class: "scene-head-plate", x: -50, y: -20, width: 100, height: 40, rx: 10 }, spot);
    const label = text("", { class: "scene-count", y: 0 }, spot);
    return { spot, label };
  }

  /** Shows the drum's fill, the lid and the heads of a state; heads count only during a build. */
  show(state, below) {
    const building = state.under === "building";
    write(this.group, "class", below ? "scene-below is-busy" : "scene-below");
    if (this.turning) {
      const { capacity } = this.geometry.drum;
      const part = Math.min(1, state.drum.tiles / capacity);
      const filled = Math.round(part * this.around);
      write(this.fill, "stroke-dasharray", `${filled} ${Math.ceil(this.around)}`);
      const shown = Math.round(part * TILES_IN_DRUM) || (state.drum.turns && !state.drum.tiles ? 14 : 0);
      this.pieces.forEach((piece, index) => {
        write(piece, "visibility", index < shown ? "visible" : "hidden");
      });
      writeText(this.count, state.drum.tiles ? String(state.drum.tiles) : "");
    }
    if (this.lid) write(this.lid, "class", state.lidOpen ? "scene-lid is-open" : "scene-lid");
    for (const [name, head] of this.heads) {
      const status = state.heads[name] ?? state.heads[name.replace(/\D/g, "")];
      const counting = building && status && status.target > 0;
      writeText(head.label, counting ? `${status.lifted}/${status.target}` : "");
      write(head.spot, "class", counting ? "scene-head is-counting" : "scene-head");
    }
  }

  /** Turns the drum to its angle at a time in seconds. */
  turn(time, under) {
    const angle = Math.round((time * (TURN[under] ?? TURN.building)) % 360);
    if (this.turning) write(this.turning, "transform", `rotate(${angle})`);
  }
}

/** The stacks that stand in the trays below, and the strips of lamps along the walls. */
export class TrayDrawing {
  constructor(parent, geometry) {
    this.trays = new Map();
    this.lamps = [];
    const tile = geometry.tile ?? { width: 0.028, length: 0.038 };
    for (const tray of geometry.trays) {
      if (tray.by_hand || !tray.stacks.length) continue;
      const group = element("g", {
        class: "scene-tray", transform: `translate(${across(tray.x)} ${down(tray.y)}) rotate(${-90 * tray.turn})`,
      }, parent);
      const pitch = tile.width * 1000;
      const length = tile.length * 1000 - 8;
      const stacks = tray.stacks.map((tiles, index) => ({
        tiles,
        box: element("rect", {
          class: "scene-staged", x: ((tray.stacks.length - 1) / 2 - index) * pitch - pitch / 2 + 1.5,
          y: -length / 2, width: pitch - 3, height: length, rx: 2, visibility: "hidden",
        }, group),
      }));
      this.trays.set(String(tray.number), { group, stacks });
    }
    for (const strip of geometry.lamps) {
      strip.lamps.forEach((lamp, index) => {
        this.lamps.push({
          tray: strip.tray,
          column: index + 1,
          spot: lamp,
          light: element("circle", { class: "scene-lamp", cx: across(lamp.x), cy: down(lamp.y), r: 4 }, parent),
        });
      });
    }
  }

  /** Shows how far each tray is filled: while one set is gathered, the other can wait in the trays. */
  show(state) {
    for (const [number, { stacks }] of this.trays) {
      let left = state.trays[number] ?? 0;
      for (const stack of stacks) {
        write(stack.box, "visibility", left > 0 ? "visible" : "hidden");
        left -= stack.tiles;
      }
    }
  }

  /** Lights the lamps next to these spots (metres). */
  light(spots) {
    for (const lamp of this.lamps) {
      const on = spots.some((spot) => Math.hypot(spot.x - lamp.spot.x, spot.y - lamp.spot.y) < 0.05 &&
        Math.min(Math.abs(spot.x - lamp.spot.x), Math.abs(spot.y - lamp.spot.y)) < 0.002);
      write(lamp.light, "class", on ? "scene-lamp is-on" : "scene-lamp");
    }
  }
}

/** The gantry: a beam that moves along x, with the gripper that moves along y. */
export class GantryDrawing {
  constructor(parent, geometry) {
    this.gantry = geometry.gantry;
    if (!this.gantry) return;
    this.group = element("g", { class: "scene-gantry" }, parent);
    const top = down(this.gantry.y.high);
    const height = down(this.gantry.y.low) - top;
    this.beam = element("g", {}, this.group);
    element("rect", { class: "scene-beam", x: -7, y: top, width: 14, height, rx: 5 }, this.beam);
    this.grip = element("g", {}, this.group);
    element("rect", { class: "scene-carriage", x: -19, y: -19, width: 38, height: 38, rx: 9 }, this.grip);
    element("path", { class: "scene-jaws", d: "M-11 -9V9M11 -9V9M-11 0H11" }, this.grip);
  }

  /** Draws the gripper at a position in metres. */
  show(pose, busy) {
    if (!this.gantry) return;
    write(this.beam, "transform", `translate(${across(pose.x)} 0)`);
    write(this.grip, "transform", `translate(${across(pose.x)} ${down(pose.y)})`);
    write(this.group, "class", busy ? "scene-gantry is-busy" : "scene-gantry");
  }
}
