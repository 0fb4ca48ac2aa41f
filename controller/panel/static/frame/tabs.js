/** A row of tabs with one panel; the arrow keys change the tab. */
import { t } from "../data/messages.js";
import { html } from "../vendor/htm_preact.js";

export function Tabs({ names, present, pick, label, children }) {
  const shown = names.includes(present) ? present : names[0];
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = names[(names.indexOf(shown) + step + names.length) % names.length];
    pick(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return html`<div class="tabbed"><div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${names.map(
        (name) => html`<button key=${name} id=${`tab-${name}`} role="tab" aria-selected=${name === shown} aria-controls="tab-panel"
          tabindex=${name === shown ? 0 : -1} onClick=${() => pick(name)}>${t(`tab.${name}`)}</button>`,
      )}
    </div>
    <div id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${shown}`}>${children}</div></div>`;
}
