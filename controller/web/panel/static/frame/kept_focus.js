/**
 * Keeps the place of the keyboard in the page when the element that has it disappears.
 *
 * A prompt that is answered, a dialog that closes, and a button that is disabled while it waits
 * would leave the keyboard at the top of the page. `restoreFocus` then moves it to the last element
 * that still exists, or else to the region in which the lost element was.
 */
import { follow } from "../data/store.js";

/** Number of elements that are remembered. */
const KEPT = 8;
/** Regions, from the nearest to the whole page. */
const REGIONS = ".prompt, #prompts, #tab-panel, main";

/** Elements that had the keyboard, the latest first, each with the regions around it. */
let history = [];

const isUsable = (element) => element.isConnected && !element.disabled && element.getClientRects().length > 0;

function remember({ target }) {
  const regions = [];
  for (let at = target.parentElement?.closest(REGIONS); at; at = at.parentElement?.closest(REGIONS)) regions.push(at.id);
  history = [{ element: target, regions: regions.filter(Boolean) }, ...history.filter((each) => each.element !== target)].slice(0, KEPT);
}

function forget({ target }) {
  queueMicrotask(() => {
    // A person who clicks beside all controls leaves an element that still exists: nothing is lost.
    if (isUsable(target) && !document.hasFocus()) return;
    if (isUsable(target) && document.activeElement === document.body) history = [];
  });
}

/** Move the keyboard if no element has it any more because its element disappeared. */
export function restoreFocus() {
  const present = document.activeElement;
  if (!history.length || (present && present !== document.body)) return;
  const [last] = history;
  for (const { element, regions } of history) {
    if (element.isConnected && element.disabled) return; // an action is in progress
    if (isUsable(element) && regions[0] === last.regions[0]) {
      element.focus({ preventScroll: true });
      return;
    }
  }
  for (const id of last.regions) {
    const region = document.getElementById(id);
    if (region && region.getClientRects().length) {
      region.focus({ preventScroll: true });
      return;
    }
  }
}

/** Watch the page's keyboard from now on. */
export function keepFocus() {
  addEventListener("focusin", remember);
  addEventListener("focusout", forget);
  follow(restoreSoon);
}

/** Restore after the views have been drawn. */
export function restoreSoon() {
  requestAnimationFrame(() => requestAnimationFrame(restoreFocus));
}
