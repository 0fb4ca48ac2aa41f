/** The dealer's view: the player's view, and the correction of acts that were entered wrongly. */
import { html } from "../vendor/htm_preact.js";
import { Correction } from "../session/correction.js";
import { PlayerView } from "./player.js";

export const DealerView = ({ app }) => html`<${PlayerView} app=${app} more=${[["correction", Correction]]} />`;
