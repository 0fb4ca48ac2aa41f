// Draws what never moves: the rim, the felt, the slits of the trays, lanes, lamps and the flipper.
import { across, down, element } from "./svg.js";

const RIM = 78;
/** Width of the rim around the field, in millimetres; seat labels are on it. */

/** Half the side of the picture, in millimetres. */
export function extent(geometry) {
  return Math.max(geometry.field.width, geometry.field.depth) * 500 + RIM;
}

/** Draws the table and returns the groups into which moving parts are drawn, from the bottom. */
export function drawFelt(svg, geometry) {
  const half = extent(geometry);
  const width = geometry.field.width * 1000;
  const depth = geometry.field.depth * 1000;
  const group = element("g", { class: "scene-table" }, svg);
  element("rect", {
    class: "scene-rim", x: -half + 6, y: -half + 6, width: 2 * half - 12, height: 2 * half - 12, rx: 46,
  }, group);
  element("rect", {
    class: "scene-felt-edge", x: -width / 2 - 3, y: -depth / 2 - 3, width: width + 6, height: depth + 6, rx: 27,
  }, group);
  element("rect", {
    class: "scene-felt", x: -width / 2, y: -depth / 2, width, height: depth, rx: 24,
  }, group);
  const inner = geometry.field.wall_distance * 1000 - 42;
  element("rect", {
    class: "scene-middle", x: -inner, y: -inner, width: 2 * inner, height: 2 * inner, rx: 30,
  }, group);
  const length = (geometry.tile ? geometry.tile.length : 0.038) * 1000 + 8;
  for (const tray of geometry.trays) {
    slit(group, tray, tray.half * 2000 + 6, length, tray.by_hand ? "scene-row" : "scene-slit");
  }
  for (const lane of geometry.lanes) {
    slit(group, lane, lane.half * 2000, length, "scene-lane");
  }
  if (!geometry.lanes.length) {
    for (const seat of geometry.seats) slit(group, seat, seat.half * 2000, length, "scene-hand");
  }
  if (geometry.flipper) {
    element("circle", {
      class: "scene-flipper", cx: across(geometry.flipper.x), cy: down(geometry.flipper.y), r: 24,
    }, group);
  }
  return group;
}

function slit(group, spot, along, acrossIt, className) {
  const upright = spot.turn % 2 === 1;
  const width = upright ? acrossIt : along;
  const height = upright ? along : acrossIt;
  element("rect", {
    class: className, x: across(spot.x) - width / 2, y: down(spot.y) - height / 2, width, height, rx: 7,
  }, group);
}
