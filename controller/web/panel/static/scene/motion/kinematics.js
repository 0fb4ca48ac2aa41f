// Durations of the gantry's travel, as controller/run/planning/least_times.py computes them.

/** Seconds of a trapezoidal motion over a distance in metres. */
export function travelSeconds(distance, axis) {
  const far = Math.abs(distance);
  const { speed, acceleration } = axis;
  if (far * acceleration < speed * speed) return 2 * Math.sqrt(far / acceleration);
  return far / speed + speed / acceleration;
}

/** The part of the way (0 to 1) that a motion has covered at a part of its time. */
export function eased(part) {
  return part <= 0 ? 0 : part >= 1 ? 1 : part * part * (3 - 2 * part);
}

/**
 * The times of one carry, in seconds from its start: travel to the tiles, close the jaws, rise,
 * travel to the goal, lower, open the jaws, rise.
 */
export function carryTimes(gantry, pose, source, target) {
  const clear = 0.06;
  const lift = travelSeconds(clear, gantry.z);
  const there = Math.max(
    travelSeconds(source.x - pose.x, gantry.x), travelSeconds(source.y - pose.y, gantry.y));
  const turning = source.crossed !== target.crossed ? gantry.turn_seconds : 0;
  const back = Math.max(
    travelSeconds(target.x - source.x, gantry.x), travelSeconds(target.y - source.y, gantry.y), turning);
  const gripped = there + lift + gantry.grip_seconds;
  const raised = gripped + lift;
  const arrived = raised + back;
  return { there, gripped, raised, arrived, lowered: arrived + lift, done: arrived + lift + gantry.grip_seconds };
}
