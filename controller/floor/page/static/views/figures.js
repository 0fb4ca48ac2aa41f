/** Figures of the last hours: loaded again while a view shows them. */
import { api } from "../api.js";
import { t } from "../data/messages.js";
import { change, state } from "../data/store.js";
import { HOURS, figure, figureTime } from "../data/words.js";
import { html, useEffect } from "../vendor/htm_preact.js";

/** Milliseconds between two requests for the figures. */
const EVERY = 20000;

async function load(hours) {
  try {
    const value = await api.figures(hours);
    if (state.figures.hours === hours) change({ figures: { hours, value, error: null } });
  } catch (error) {
    if (state.figures.hours === hours) change({ figures: { ...state.figures, error } });
  }
}

/** Load the figures now, and then every 20 s as long as the component is shown. */
export function useFigures() {
  const { hours } = state.figures;
  useEffect(() => {
    load(hours);
    const timer = setInterval(() => load(hours), EVERY);
    return () => clearInterval(timer);
  }, [hours]);
  return state.figures;
}

/** The choice of the hours. */
export const HoursChoice = () => html`<label class="hours"><span class="unseen">${t("figures.hours")}</span>
  <select onChange=${(event) => change({ figures: { hours: HOURS[event.target.selectedIndex], value: null, error: null } })}>
    ${HOURS.map((hours) => html`<option selected=${hours === state.figures.hours}>${t(`figures.hours.${hours}`)}</option>`)}
  </select></label>`;

/** The figures that a floor compares, as a list of terms. */
export function FigureList({ values }) {
  const shown = {
    rounds_per_hour: figure(values?.rounds_per_hour),
    mtba_s: figureTime(values?.mtba_s),
    mtta_s: figureTime(values?.mtta_s),
    tiles_per_jam: figure(values?.tiles_per_jam),
  };
  return html`<dl class="figures">
    ${Object.entries(shown).map(([key, text]) => html`<div><dt>${t(`figures.${key}`)}</dt><dd>${text}</dd></div>`)}
  </dl>`;
}
