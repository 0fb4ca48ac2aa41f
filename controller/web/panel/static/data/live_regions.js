/** The page's live regions, which screen readers announce. */

/** Announce a sentence; the region is empty in between, so that it announces the same one again. */
export const say = (id, text) => {
  const region = document.getElementById(id);
  if (!region || !text) return;
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text));
};

/** Announce one sentence at once, such as a lost connection. */
export const announceAlert = (text) => say("announce-alert", text);
