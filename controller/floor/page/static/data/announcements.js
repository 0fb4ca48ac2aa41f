/** Announces new alarms and a lost connection to screen readers. */

/** Announce one sentence; the region is empty in between, so that it announces the same one again. */
export function announceAlert(text) {
  const region = document.getElementById("announce-alert");
  if (!region || !text) return;
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text));
}
