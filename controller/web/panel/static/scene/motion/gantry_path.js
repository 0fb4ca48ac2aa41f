// The path of the gantry: it travels to the tiles, takes them, and carries them to their goal.
import { carryTimes, eased } from "./kinematics.js";

export class GantryPath {
  constructor(gantry) {
    this.gantry = gantry;
    this.home = { x: gantry.x.low, y: gantry.y.low, crossed: false };
    this.clear();
  }

  /** Returns the gripper to its home position, without a motion. */
  clear() {
    this.legs = [];
    this.rest = this.home;
  }

  /** Ends the present carry at its goal. */
  settle() {
    if (this.legs.length) this.rest = this.legs.at(-1).to;
    this.legs = [];
  }

  /**
   * Plans one carry that begins at a time; returns its times. A `limit` above 0 is the real duration
   * of the move, to which the times are stretched.
   */
  carry(time, source, target, limit = 0) {
    const from = this.pose(time);
    const least = carryTimes(this.gantry, from, source, target);
    const scale = limit > 0 ? limit / least.done : 1;
    const times = Object.fromEntries(
      Object.entries(least).map(([name, seconds]) => [name, time + seconds * scale]),
    );
    this.legs = [
      { from, to: source, begin: time, end: times.there },
      { from: source, to: source, begin: times.there, end: times.raised },
      { from: source, to: target, begin: times.raised, end: times.arrived },
      { from: target, to: target, begin: times.arrived, end: times.done },
    ];
    this.rest = target;
    return times;
  }

  /** The position of the gripper at a time, and whether a carry is under way. */
  pose(time) {
    for (const leg of this.legs) {
      if (time < leg.end) {
        const way = eased((time - leg.begin) / Math.max(0.001, leg.end - leg.begin));
        return {
          x: leg.from.x + (leg.to.x - leg.from.x) * way,
          y: leg.from.y + (leg.to.y - leg.from.y) * way,
          crossed: leg.to.crossed,
          busy: true,
        };
      }
    }
    return { ...this.rest, busy: false };
  }
}
