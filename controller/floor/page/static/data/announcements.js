/** Announces new alarms and a lost connection to screen readers. */

/** Announce one sentence. */
export function announceAlert(text) {
  const region = document.getElementById("announce-alert");
  if (region && text && region.textContent !== text) region.textContent = text;
}
