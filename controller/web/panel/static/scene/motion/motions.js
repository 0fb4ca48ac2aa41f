// Motions of tiles in the time of the table: each is a path between two targets.
import { eased } from "./kinematics.js";

/** The pose of a resting tile. */
export function resting(target) {
  return { x: target.x, y: target.y, height: target.level, spin: 0, shown: target.hidden ? 0 : 1 };
}

/** The motions of all tiles, by place; `at` evaluates one motion at a time of the table. */
export class TileMotions {
  constructor() {
    this.moving = new Map();
  }

  /** Forget all motions. */
  clear() {
    this.moving = new Map();
  }

  /**
   * Let a tile travel from a pose to a target between two times. `rise` is the height of the path
   * above the felt, in levels; `flip` turns the tile over; `fade` is its opacity at the start.
   */
  start(place, from, target, begin, end, { rise = 0, flip = false } = {}) {
    this.moving.set(place, { from, to: resting(target), begin, end, rise, flip });
  }

  /** Ends the motions of these places within some seconds: the table has confirmed their end. */
  hurry(places, time, seconds) {
    for (const place of places) {
      const motion = this.moving.get(place);
      if (!motion || motion.end <= time + seconds) continue;
      const from = this.pose(place, time);
      this.moving.set(place, { ...motion, from, begin: time, end: time + seconds, rise: 0 });
    }
  }

  /** Whether any motion has not ended at this time. */
  isActive(time) {
    for (const motion of this.moving.values()) if (motion.end > time) return true;
    return false;
  }

  /** The pose of a tile at a time; undefined if it rests. Motions that have ended are dropped. */
  pose(place, time) {
    const motion = this.moving.get(place);
    if (!motion) return undefined;
    if (time >= motion.end) {
      this.moving.delete(place);
      return undefined;
    }
    const { from, to } = motion;
    const part = Math.max(0, (time - motion.begin) / (motion.end - motion.begin));
    const way = eased(part);
    const hump = motion.rise ? motion.rise * Math.min(1, 4 * part, 4 * (1 - part)) : 0;
    return {
      x: from.x + (to.x - from.x) * way,
      y: from.y + (to.y - from.y) * way,
      height: from.height + (to.height - from.height) * way + hump,
      shown: from.shown + (to.shown - from.shown) * way,
      spin: motion.flip ? way : 0,
      flying: part > 0 && (motion.rise > 0 || from.height > to.height + 0.5),
    };
  }

  /** The places whose motions have not ended. */
  get places() {
    return this.moving.keys();
  }
}
