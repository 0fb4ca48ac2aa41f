// Marks on the picture: the part that has a fault or a prompt, and the indicator's face enlarged.
import { faceMarkup, faceStyle } from "../faces/tile_faces.js";
import { across, down, element, text, writeText } from "./svg.js";

/** The part of a fault or prompt on the picture: a part's name, a channel, or a name like them. */
export function pointOf(geometry, named) {
  const { parts, channels } = geometry;
  if (!named) return undefined;
  const part = parts[named] ? named : channels[named];
  if (part && parts[part]) return parts[part];
  const singular = named.replace(/^(head|lift|tray|lane)s (\d+)$/, "$1 $2");
  return parts[singular] ?? parts[`hand ${named}`];
}

export class Marks {
  constructor(parent, geometry) {
    this.geometry = geometry;
    this.group = element("g", { class: "scene-marks" }, parent);
    this.key = "";
  }

  /** Marks the parts of open prompts and of the fault; prompts without a part are not marked. */
  show(state) {
    const marks = [];
    for (const prompt of state.prompts) {
      if (prompt.part) marks.push({ part: prompt.part, code: prompt.code, kind: prompt.kind });
    }
    if (state.fault) marks.push({ part: state.fault.part, code: state.fault.code, kind: "fault" });
    for (const cause of state.pause) {
      if (cause.channel) marks.push({ part: cause.channel, code: cause.why, kind: "pause" });
    }
    const key = JSON.stringify(marks);
    if (key === this.key) return;
    this.key = key;
    this.group.replaceChildren();
    for (const mark of marks) {
      const point = pointOf(this.geometry, mark.part) ?? { x: 0, y: 0 };
      const spot = element("g", {
        class: `scene-mark is-${mark.kind}`, "data-part": mark.part,
        transform: `translate(${across(point.x)} ${down(point.y)})`,
      }, this.group);
      element("circle", { class: "scene-mark-halo", r: 56 }, spot);
      element("circle", { class: "scene-mark-ring", r: 50 }, spot);
      const label = element("g", { class: "scene-mark-label" }, spot);
      text(mark.part || mark.code, { y: point.y > 0.2 ? 76 : -72 }, label);
    }
  }
}

/** The indicator in a corner of the field, large enough to be read on a phone. */
export class IndicatorCard {
  constructor(parent, geometry) {
    this.kind = geometry.tile && geometry.tile.faces !== "none" ? geometry.tile.faces : "mahjong";
    const half = geometry.field.hand_distance * 1000 - 22;
    this.group = element("g", {
      class: "scene-indicator", transform: `translate(${-half} ${-half})`, visibility: "hidden",
    }, parent);
    this.face = element("g", {}, this.group);
    this.title = text("", { class: "scene-indicator-title", y: 64 }, this.group);
    this.key = "";
  }

  show(state, say) {
    const key = state.indicator ? `${state.indicator} ${state.indicatorFace}` : "";
    if (key === this.key) return;
    this.key = key;
    this.group.setAttribute("visibility", key && state.indicatorFace ? "visible" : "hidden");
    if (!state.indicatorFace) return;
    const { box, body, edge } = faceStyle(this.kind);
    const scale = 84 / box.length;
    this.face.innerHTML =
      `<g transform="translate(${(-box.width * scale) / 2} ${-46}) scale(${scale})">` +
      `<rect width="${box.width}" height="${box.length}" rx="3" fill="${body}" stroke="${edge}" stroke-width="0.6"/>` +
      `${faceMarkup(state.indicatorFace, this.kind)}</g>`;
    writeText(this.title, say("indicator"));
  }
}
