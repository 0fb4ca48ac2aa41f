/** A tile's face. It is text until `scene/tiles.js` offers drawn faces. */
import { html } from "../vendor/htm_preact.js";

export const Tile = ({ face }) => html`<span class="tile" data-face=${face}>${face}</span>`;
