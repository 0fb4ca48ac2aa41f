// Holds the drawings of one table, starts their motions, and draws single frames.
import { element, text } from "./drawing/svg.js";
import { drawFelt, extent } from "./drawing/felt.js";
import { TileLayer } from "./drawing/tile_layer.js";
import { DrumDrawing, GantryDrawing, TrayDrawing } from "./drawing/machine.js";
import { DiceDrawing } from "./drawing/dice.js";
import { SeatLabels } from "./drawing/seats.js";
import { IndicatorCard, Marks } from "./drawing/marks.js";
import { Elevation } from "./drawing/elevation.js";
import { describe, handCounts, sayer } from "./model/messages.js";
import { targets } from "./model/placement.js";
import { positionOf } from "./model/events.js";
import { emptyState } from "./model/state.js";
import { TileMotions, resting } from "./motion/motions.js";
import { GantryPath } from "./motion/gantry_path.js";

const SLIDE = 0.55;
/** Seconds of a motion without the gantry. */
const RISE = 2.4;
/** Seconds in which the walls rise. */
const READABLE = 12;
/** Least height of labels, in pixels of the screen. */

export class Stage {
  constructor(svg, geometry, options, isSudden) {
    this.svg = svg;
    this.isSudden = isSudden;
    this.geometry = geometry;
    this.say = sayer(options.messages);
    this.state = emptyState();
    this.targets = new Map();
    this.motions = new TileMotions();
    this.time = 0;
    drawFelt(svg, geometry);
    const group = (name) => element("g", { class: name }, svg);
    this.trays = new TrayDrawing(group("scene-trays"), geometry);
    this.drum = new DrumDrawing(group("scene-middle-parts"), geometry);
    this.tiles = new TileLayer(group("scene-tiles"), geometry);
    this.elevation = new Elevation(group("scene-inset"), geometry, this.say);
    this.gantry = new GantryDrawing(group("scene-arm"), geometry);
    this.path = geometry.gantry ? new GantryPath(geometry.gantry) : null;
    this.dice = new DiceDrawing(group("scene-dice-layer"), geometry);
    this.indicator = new IndicatorCard(group("scene-corner"), geometry);
    this.seats = new SeatLabels(group("scene-seats"), geometry, this.say);
    this.ready = this.readyLamp();
    this.marks = new Marks(group("scene-front"), geometry);
  }

  readyLamp() {
    const spot = this.geometry.ready_lamp;
    if (!spot) return null;
    return element("circle", {
      class: "scene-ready", cx: Math.round(spot.x * 1000), cy: Math.round(-spot.y * 1000), r: 15,
    }, this.svg);
  }

  /** Sets the size of labels for a width of the picture in pixels. */
  resize(width) {
    const unit = (2 * extent(this.geometry)) / Math.max(width, 1);
    this.size = Math.max(22, Math.min(46, READABLE * unit));
    this.svg.style.setProperty("--scene-text", `${this.size.toFixed(1)}px`);
  }

  /** Forgets all motions, for a jump in time. */
  clear() {
    this.motions.clear();
    this.path?.clear();
    this.dice.show(null, 0, true);
    this.targets = new Map();
    this.state = emptyState();
  }

  /** Shows a state: plans its motions and redraws. */
  show(state, how) {
    this.plan(state, how);
    this.redraw();
    this.frame(how.time);
  }

  /** Plans the motions from the present targets to those of `state`; `how.event` caused them. */
  plan(state, { time, event, sudden = false, following = [], index = 0 }) {
    const before = this.targets;
    const after = targets(state, this.geometry);
    const old = this.state;
    this.state = state;
    this.targets = after;
    const kind = event ? event.event : "";
    if (sudden) this.motions.clear();
    if (kind === "move" && event.move === "shake" && !sudden) {
      this.dice.shake(event.dice * (event.times ?? 1), time, this.until(following, index, time, 1.5));
    } else if (!(event && this.dice.shaking && kind !== "dice_thrown")) {
      this.dice.show(state.dice, time, sudden);
    }
    if (kind === "delivered") this.motions.hurry(event.from, time, SLIDE / 2);
    if (kind === "move" && event.move === "carry" && this.path && !sudden) {
      this.carry(old, event, time, before, this.until(following, index, time, 0));
      return;
    }
    if (sudden) {
      this.path?.settle();
      return;
    }
    let risen = 0;
    for (const [place, target] of after) {
      const now = before.get(place);
      if (now && same(now, target)) continue;
      const from = this.motions.pose(place, time) ?? (now ? resting(now) : this.below(target));
      const flip = now ? now.face !== target.face : false;
      const delay = now ? 0 : RISE * 0.5 * (stackOf(place) / 20);
      if (!now) risen += 1;
      this.motions.start(place, from, target, time + delay, time + delay + (now ? SLIDE : RISE / 2), {
        flip,
        rise: now && !flip && far(now, target) ? 1.5 : 0,
      });
    }
    if (risen && !before.size) this.motions.raisedAt = time;
  }

  /** The seconds until the next event that ends a move, in a recording; `otherwise` when live. */
  until(following, index, time, otherwise) {
    for (let next = index + 1; next < following.length; next += 1) {
      const { event, t } = following[next];
      if (["move", "delivered", "dice_thrown", "step", "tile_turned_up"].includes(event)) return t - time;
    }
    return otherwise;
  }

  carry(old, event, time, before, limit) {
    const after = this.targets;
    const source = { ...event.from, crossed: positionOf(old, this.geometry, event.tiles[0]).crossed };
    const goals = event.tiles.map((place) => after.get(place)).filter(Boolean);
    if (!goals.length) return;
    const middle = {
      x: goals.reduce((sum, goal) => sum + goal.x, 0) / goals.length,
      y: goals.reduce((sum, goal) => sum + goal.y, 0) / goals.length,
      crossed: goals[0].crossed,
    };
    const times = this.path.carry(time, source, middle, limit);
    for (const place of event.tiles) {
      const goal = after.get(place);
      const tile = old.tiles.get(place);
      if (!goal || !tile) continue;
      const spot = positionOf(old, this.geometry, place);
      const from = this.motions.pose(place, time) ?? { x: spot.x, y: spot.y, height: spot.level, shown: 1 };
      this.motions.start(place, from, goal, times.gripped, times.lowered, { rise: 2.5 });
    }
    // Tiles that lie already in the row of the same hand move aside.
    for (const [place, goal] of after) {
      if (event.tiles.includes(place) || this.motions.pose(place, time)) continue;
      const drawn = before.get(place);
      if (drawn && !same(drawn, goal)) {
        this.motions.start(place, resting(drawn), goal, times.arrived, times.lowered);
      }
    }
  }

  below(target) {
    return { ...resting(target), height: -1, shown: target.hidden ? 0 : 0.25 };
  }

  /** Draws everything that a state changes, except motions. */
  redraw() {
    const { state } = this;
    const busy = ["gathering", "shuffling", "building"].includes(state.under);
    this.tiles.keepOnly(this.targets);
    this.drum.show(state, busy);
    this.trays.show(state);
    this.trays.light(state.lit.filter((place) => state.tiles.has(place)).map((place) =>
      positionOf(state, this.geometry, place)));
    this.elevation.show(state);
    this.seats.show(state, handCounts(state), this.size);
    this.indicator.show(state, this.say);
    this.marks.show(state);
    if (this.ready) this.ready.setAttribute("class", state.readyLamp ? "scene-ready is-on" : "scene-ready");
    const paused = state.pause.length || ["paused", "servicing"].includes(state.mode);
    this.svg.setAttribute("class",
      `table-scene${paused ? " is-paused" : ""}${state.fault ? " has-fault" : ""}`);
    const words = describe(state, this.geometry, this.say);
    if (this.words !== words) this.svg.setAttribute("aria-label", (this.words = words));
    this.all = true;
  }

  /** Draws one frame at a time of the table; returns whether anything still moves. */
  frame(time) {
    this.time = time;
    const lit = this.all ? new Set(this.state.lit) : this.lit;
    this.lit = lit;
    if (this.all) {
      this.all = false;
      for (const [place, target] of this.targets) {
        this.tiles.draw(place, target, this.motions.pose(place, time) ?? resting(target), lit.has(place));
      }
    } else {
      for (const place of this.motions.places) {
        const target = this.targets.get(place);
        const pose = this.motions.pose(place, time);
        if (target) this.tiles.draw(place, target, pose ?? resting(target), lit.has(place));
      }
    }
    this.tiles.sort();
    const diceMove = this.dice.frame(time);
    const arm = this.path ? this.path.pose(time) : null;
    if (arm) this.gantry.show(arm, arm.busy);
    const turning = this.state.drum.turns && !this.isSudden();
    if (turning) this.drum.turn(time, this.state.under);
    return diceMove || turning || Boolean(arm && arm.busy) || this.motions.isActive(time);
  }
}

function same(one, other) {
  return one.x === other.x && one.y === other.y && one.level === other.level &&
    one.face === other.face && one.hidden === other.hidden && one.crossed === other.crossed;
}

function far(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y) > 0.06;
}

/** The number of a place's column, for walls that rise stack by stack. */
function stackOf(place) {
  return Number(/(\d+)[ul]?$/.exec(place.replace(/^p(\d+)\.\d+$/, "p$1"))?.[1] ?? 0);
}
