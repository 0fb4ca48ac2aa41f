/** A tile with its drawn face; its name is read by the button or list around it. */
import { tileSvg } from "../scene/faces/tile_faces.js";
import { html } from "../vendor/htm_preact.js";

const drawn = new Map();

/** `kind` is a set of `scene/faces/tile_faces.js`; without it the notation decides. */
export function Tile({ face, kind, name }) {
  const key = `${kind} ${face} ${name}`;
  if (!drawn.has(key)) drawn.set(key, { __html: tileSvg(face, kind, name ?? face) });
  return html`<span class="tile" data-face=${face} aria-hidden=${name ? null : "true"} dangerouslySetInnerHTML=${drawn.get(key)}></span>`;
}
