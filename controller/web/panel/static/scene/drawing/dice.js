// Draws the dice: large in the middle while they are thrown, then small at the dice unit. The throw
// before it stays above them, because two throws often decide together.
import { across, down, element, write } from "./svg.js";

const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
const LARGE_SECONDS = 2.4;
/** Seconds for which thrown dice are shown large (ours). */

export class DiceDrawing {
  constructor(parent, geometry) {
    const half = geometry.field.hand_distance - 0.02;
    this.home = geometry.dice ?? { x: half, y: -half };
    this.before = element("g", {
      class: "scene-dice-before", transform: `translate(${across(this.home.x)} ${down(this.home.y) - 34}) scale(0.8)`,
    }, parent);
    this.group = element("g", { class: "scene-dice" }, parent);
    this.faces = [];
    this.shown = "";
    this.shaking = null;
    this.thrownAt = -Infinity;
  }

  /** Begins to shake this number of dice at a time of the table. */
  shake(count, time, seconds) {
    this.keepBefore();
    this.shown = "";
    this.draw(Array.from({ length: count }, (_, index) => (index % 6) + 1));
    this.shaking = { begin: time, end: time + seconds };
    this.thrownAt = -Infinity;
  }

  /** Shows the faces of a throw; null removes the dice. */
  show(dice, time, sudden) {
    const key = dice ? `${dice.by}:${dice.faces.join()}` : "";
    if (key === this.shown && !this.shaking) return;
    if (!this.shaking) this.keepBefore();
    this.shaking = null;
    this.shown = key;
    this.faces = dice ? dice.faces : [];
    if (!dice) this.before.replaceChildren();
    this.draw(this.faces);
    this.thrownAt = sudden ? -Infinity : time;
  }

  draw(faces) {
    this.group.replaceChildren();
    this.count = faces.length;
    this.dice = faces.map((face) => dieOf(face, this.group));
  }

  /** Moves the faces of the last throw to the row above; rows of more than three dice are left out. */
  keepBefore() {
    if (!this.faces.length) return;
    this.before.replaceChildren();
    const { faces } = this;
    if (faces.length <= 3) {
      faces.forEach((face, index) => {
        dieOf(face, this.before).setAttribute("transform", `translate(${(index - (faces.length - 1) / 2) * 35} 0)`);
      });
    }
    this.faces = [];
  }

  /** Draws the dice at a time of the table; returns whether they still move. */
  frame(time) {
    if (!this.count) return false;
    const age = time - this.thrownAt;
    const shaken = this.shaking && time < this.shaking.end;
    const large = shaken || age < LARGE_SECONDS;
    const part = shaken ? 1 : Math.max(0, Math.min(1, (LARGE_SECONDS - age) / 0.5));
    const size = 1 + part * 1.1;
    const x = across(this.home.x) * (1 - part);
    const y = down(this.home.y) * (1 - part);
    write(this.group, "transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size.toFixed(3)})`);
    const perRow = this.count > 3 ? Math.ceil(this.count / 2) : this.count;
    const rows = Math.ceil(this.count / perRow);
    this.dice.forEach((die, index) => {
      const row = Math.floor(index / perRow);
      const inRow = Math.min(perRow, this.count - row * perRow);
      const wobble = shaken ? Math.sin(time * 31 + index * 2.1) * 16 : 0;
      const left = ((index % perRow) - (inRow - 1) / 2) * 35 + (shaken ? Math.sin(time * 23 + index) * 4 : 0);
      const up = (row - (rows - 1) / 2) * 35 + (shaken ? Math.cos(time * 27 + index) * 4 : 0);
      write(die, "transform", `translate(${left.toFixed(1)} ${up.toFixed(1)}) rotate(${wobble.toFixed(1)})`);
    });
    return Boolean(large);
  }
}

function dieOf(face, parent) {
  const die = element("g", { "data-face": face }, parent);
  element("rect", { class: "scene-die", x: -15, y: -15, width: 30, height: 30, rx: 6 }, die);
  for (const [x, y] of PIPS[face] ?? []) {
    const red = face === 1 || face === 4;
    element("circle", {
      class: red ? "scene-pip is-red" : "scene-pip", cx: x * 7.6, cy: y * 7.6, r: face === 1 ? 4.6 : 3.2,
    }, die);
  }
  return die;
}
