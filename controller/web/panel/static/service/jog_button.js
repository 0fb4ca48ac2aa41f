/** The button that moves a motor or an axis while it is held, and the causes that end the motion. */
import { command, commandOnce, newId } from "../api.js";
import { t } from "../data/messages.js";
import { follow, state } from "../data/store.js";
import { useAction } from "../frame/hooks.js";
import { Notice } from "../frame/notice.js";
import { html, useEffect, useRef, useState } from "../vendor/htm_preact.js";

/** Permille of the highest speed, if the channel permits it. */
const SPEED = 300;
/** Renewals without a reply, at most: a browser keeps further ones back and sends them too late. */
const MOST_UNANSWERED = 4;
const SIGNS = { forward: "▶", reverse: "◀" };

/**
 * Moves a channel while the button is held: each press has an id, and the command is renewed until
 * the press ends. It ends when the button or the key is released, the pointer leaves the button, a
 * second finger touches the page, the page loses the keyboard, is hidden or left, or the connection
 * is lost. The table itself ends the motion if no renewal arrives.
 */
export function JogButton({ name, channel, direction, renewal }) {
  const [run, { error }] = useAction();
  const [held, hold] = useState(false);
  const press = useRef(null);
  const ends = useRef(() => {});
  const speed = Math.max(channel.least_speed, Math.min(channel.most_speed, SPEED));
  const stop = () => {
    if (!press.current) return;
    const { id, renewals } = press.current;
    press.current = null;
    // Renewals that wait in the browser would hold the stop up, and move the motor until then.
    renewals.abort();
    ends.current();
    hold(false);
    command("stop_jog", { press: id }).catch(() => {});
  };
  const renew = async () => {
    const own = press.current;
    if (own.unanswered === MOST_UNANSWERED) return;
    own.unanswered += 1;
    try {
      await commandOnce("jog", { channel: name, direction, speed, press: own.id }, own.renewals.signal);
    } catch (failure) {
      if (own !== press.current) return;
      stop();
      run(() => Promise.reject(failure));
    } finally {
      own.unanswered -= 1;
    }
  };
  const start = () => {
    if (press.current) return;
    press.current = { id: newId(), renewals: new AbortController(), unanswered: 0 };
    hold(true);
    ends.current = whileHeld(stop, setInterval(renew, (renewal * 1000) / 3));
    renew();
  };
  useEffect(() => stop, []);
  const pointer = (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    // A finger keeps the button as its target otherwise, also after it has left the button.
    if (event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    start();
  };
  const key = (act) => (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    act();
  };
  return html`<button class=${`jog ${held ? "held" : ""}`} aria-pressed=${held} aria-label=${t(`service.jog.${direction}`, { name })}
      onPointerDown=${pointer} onPointerUp=${stop} onPointerLeave=${stop} onPointerCancel=${stop}
      onKeyDown=${key(start)} onKeyUp=${key(stop)} onBlur=${stop} onContextMenu=${(event) => event.preventDefault()}>
      ${SIGNS[direction]}</button><${Notice} error=${error} />`;
}

/** Call `stop` at every cause outside the button; returns the function that ends the watch. */
function whileHeld(stop, timer) {
  const secondFinger = (event) => {
    if (!event.isPrimary) stop();
  };
  const causes = [
    [window, "blur", stop],
    [window, "pagehide", stop],
    [document, "visibilitychange", stop],
    [document, "pointerdown", secondFinger],
  ];
  for (const [target, type, listener] of causes) target.addEventListener(type, listener);
  const unfollow = follow(() => state.connection === "lost" && stop());
  return () => {
    clearInterval(timer);
    unfollow();
    for (const [target, type, listener] of causes) target.removeEventListener(type, listener);
  };
}
