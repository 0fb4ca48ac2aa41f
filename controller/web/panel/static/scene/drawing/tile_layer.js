// Draws all tiles: one group for each tile, in layers by level, moved by one attribute.
import { faceMarkup, faceStyle } from "../faces/tile_faces.js";
import { across, down, element } from "./svg.js";

const LIFT = 5.5;
/** Millimetres by which each level is drawn further up, so that stacks show their sides. */
const SIDE = 4.5;
/** Height of the visible side of a tile, in millimetres of the picture. */
const LEVELS = 6;

export class TileLayer {
  constructor(parent, geometry) {
    this.geometry = geometry;
    this.layers = Array.from({ length: LEVELS + 1 }, (_, level) =>
      element("g", { class: level === LEVELS ? "scene-flying" : "scene-level" }, parent),
    );
    this.drawn = new Map();
    this.unsorted = new Set();
    const tile = geometry.tile ?? { width: 0.028, length: 0.038, faces: "none" };
    this.width = tile.width * 1000;
    this.length = tile.length * 1000;
    this.kind = tile.faces === "none" ? "mahjong" : tile.faces;
    this.dark = this.kind === "chinese_dominoes";
  }

  /** Draws a tile at a pose (motions.js) towards its target (placement.js). */
  draw(place, target, pose, lit) {
    let tile = this.drawn.get(place);
    if (!tile) {
      tile = this.make(place);
      this.drawn.set(place, tile);
    }
    this.shape(tile, target.crossed);
    const halfway = pose.spin > 0 && pose.spin < 0.5;
    this.turnFace(tile, halfway ? "" : target.face, target.turn);
    const level = pose.flying ? LEVELS : Math.max(0, Math.min(LEVELS - 1, Math.round(pose.height)));
    const x = across(pose.x);
    const y = Math.round((down(pose.y) - pose.height * LIFT) * 10) / 10;
    if (tile.level !== level) {
      tile.level = level;
      this.layers[level].appendChild(tile.group);
      this.unsorted.add(level);
    }
    if (pose.spin > 0) {
      const narrow = Math.abs(1 - 2 * pose.spin).toFixed(3);
      tile.group.setAttribute("transform", `translate(${x} ${y}) scale(${narrow} 1)`);
      tile.shift = null;
    } else if (!tile.shift) {
      tile.group.setAttribute("transform", `translate(${x} ${y})`);
      tile.shift = tile.group.transform.baseVal.getItem(0);
    } else if (tile.x !== x || tile.y !== y) {
      // Numbers are half as expensive as an attribute's text, which has to be parsed.
      tile.shift.setTranslate(x, y);
    }
    tile.x = x;
    tile.y = y;
    const shown = Math.ceil(pose.shown * 4) / 4;
    if (tile.opacity !== shown) {
      tile.opacity = shown;
      tile.group.setAttribute("opacity", shown);
    }
    if (tile.lit !== lit) {
      tile.lit = lit;
      tile.group.setAttribute("class", lit ? "scene-tile is-lit" : "scene-tile");
    }
  }

  /** Puts tiles in order from the far side to the near side, so that near ones cover far ones. */
  sort() {
    for (const level of this.unsorted) {
      const tiles = [...this.drawn.values()].filter((tile) => tile.level === level);
      tiles.sort((one, other) => one.y - other.y);
      let before = null;
      for (const { group } of tiles) {
        const next = before ? before.nextSibling : this.layers[level].firstChild;
        if (next !== group) this.layers[level].insertBefore(group, next);
        before = group;
      }
    }
    this.unsorted.clear();
  }

  /** Removes every tile that is not in `kept` (a Map by place). */
  keepOnly(kept) {
    for (const [place, tile] of this.drawn) {
      if (!kept.has(place)) {
        tile.group.remove();
        this.drawn.delete(place);
      }
    }
  }

  make(place) {
    const group = element("g", { class: "scene-tile", "data-place": place });
    const shadow = element("rect", { class: "scene-tile-shadow", rx: 3 }, group);
    const body = element("rect", { class: this.dark ? "scene-tile-dark" : "scene-tile-body", rx: 3 }, group);
    const back = element("rect", { class: this.dark ? "scene-back-dark" : "scene-back", rx: 2.6 }, group);
    return { group, shadow, body, back, face: null, shown: "", crossed: null, level: -1, lit: false };
  }

  shape(tile, crossed) {
    if (tile.crossed === crossed) return;
    tile.crossed = crossed;
    const width = (crossed ? this.length : this.width) - 0.8;
    const height = (crossed ? this.width : this.length) - 0.8;
    const box = (target, x, y, w, h) => {
      target.setAttribute("x", x);
      target.setAttribute("y", y);
      target.setAttribute("width", w);
      target.setAttribute("height", h);
    };
    box(tile.shadow, -width / 2 + 2, -height / 2 + 4, width, height + 3);
    box(tile.body, -width / 2, -height / 2, width, height + SIDE - 1);
    box(tile.back, -width / 2, -height / 2, width, height - 1);
  }

  /** Shows a face on top of the tile, or its back for an empty face. */
  turnFace(tile, face, turn) {
    if (tile.shown === face && (tile.turn === turn || !face)) return;
    tile.shown = face;
    tile.turn = turn;
    tile.group.dataset.face = face;
    if (tile.face) tile.face.remove();
    tile.face = null;
    if (!face) return;
    const { box, body, edge } = faceStyle(this.kind);
    const width = this.width - 0.8;
    const length = this.length - 1;
    tile.face = element("g", { class: "scene-face", transform: `rotate(${-90 * turn})` }, tile.group);
    tile.face.innerHTML =
      `<rect x="${-width / 2}" y="${-length / 2}" width="${width}" height="${length}" rx="2.6" fill="${body}" stroke="${edge}" stroke-width="0.6"/>` +
      `<g transform="translate(${-width / 2} ${-length / 2}) scale(${width / box.width} ${length / box.length})">${faceMarkup(face, this.kind)}</g>`;
  }
}
