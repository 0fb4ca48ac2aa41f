/** A row of tabs with one panel; the arrow keys change the tab. */
import { t } from "../data/messages.js";
import { html } from "../vendor/htm_preact.js";

/** `id` distinguishes tabs inside the panel of other tabs. */
export function Tabs({ names, present, pick, label, id = "tab", children }) {
  const shown = names.includes(present) ? present : names[0];
  const move = (event) => {
    const at = names.indexOf(shown);
    const next = names.at({ ArrowRight: (at + 1) % names.length, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]);
    if (!["ArrowRight", "ArrowLeft", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    pick(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return html`<div class="tabbed"><div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${names.map(
        (name) => html`<button key=${name} id=${`${id}-${name}`} role="tab" aria-selected=${name === shown} aria-controls=${`${id}-panel`}
          tabindex=${name === shown ? 0 : -1} onClick=${() => pick(name)}>${t(`tab.${name}`)}</button>`,
      )}
    </div>
    <div id=${`${id}-panel`} role="tabpanel" tabindex="-1" aria-labelledby=${`${id}-${shown}`}>${children}</div></div>`;
}
