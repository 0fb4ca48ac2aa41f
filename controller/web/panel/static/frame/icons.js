/** Drawn signs of the navigation and of buttons; each stands beside a word or has a label. */
import { html } from "../vendor/htm_preact.js";

const PATHS = {
  table: "M4 4h16v16H4zM8 8h8M8 16h8M8 11v2M16 11v2",
  dealer: "M12 3l2.6 5.6 6 .7-4.4 4.1 1.2 6L12 16.4 6.6 19.4l1.2-6L3.4 9.3l6-.7z",
  help: "M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 7v6M12 16.5v.5",
  tool: "M14.5 6.5a4 4 0 0 1 5-1l-2.7 2.7 1 1 2.7-2.7a4 4 0 0 1-5.4 5L8 19a2 2 0 0 1-3-3l7.5-7.1a4 4 0 0 1 2-2.4z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  judge: "M12 4v16M7 20h10M5 8h14M5 8l-2.5 6a3 3 0 0 0 5 0zM19 8l-2.5 6a3 3 0 0 0 5 0z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  pause: "M9 5v14M15 5v14",
  play: "M8 5l11 7-11 7z",
  tiles: "M12 4v10M7.5 10l4.5 4.5L16.5 10M5 20h14",
  end: "M6 6h12v12H6z",
  close: "M6 6l12 12M18 6L6 18",
  back: "M21 6H9l-6 6 6 6h12zM12 9.5l5 5M17 9.5l-5 5",
};

/** A sign of 24 by 24 units in the colour of the text around it. */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
  <path d=${PATHS[name]} />
</svg>`;
