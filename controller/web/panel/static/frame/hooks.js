/** Hooks of the views: the page's state, and actions with their progress and errors. */
import { follow } from "../data/store.js";
import { restoreSoon } from "./kept_focus.js";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "../vendor/htm_preact.js";

/**
 * Draw the component again whenever the state of the page changes. An effect would follow the state
 * only after the first frame, and a change before it, such as a quick reply, would never be drawn.
 */
export function useStore() {
  const [, redraw] = useReducer((count) => count + 1, 0);
  useLayoutEffect(() => follow(redraw), []);
}

/** Draw the component again every `ms` milliseconds, for texts with a running time. */
export function useTick(ms) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(redraw, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** An action that nobody has begun. */
const IDLE = { busy: false, error: null, done: null };
/** Statuses of a reply that can be another one soon: none, or one of a proxy or a table that starts. */
const PASSING = [0, 502, 503, 504];

/**
 * An action that waits for the API: returns [run, {busy, error, done}, forget]. `run(work)` awaits
 * `work()`, keeps its error for `Notice`, and returns whether it succeeded. A reply that comes after
 * a later `run` or after `forget()` is not shown.
 */
export function useAction() {
  const [progress, show] = useState(IDLE);
  const latest = useRef(0);
  useEffect(() => () => (latest.current += 1), []);
  const run = async (work) => {
    const turn = (latest.current += 1);
    const end = (result) => turn === latest.current && show({ ...IDLE, ...result });
    show({ ...IDLE, busy: true });
    try {
      const done = await work();
      end({ done: done ?? true });
      return true;
    } catch (error) {
      end({ error });
      return false;
    } finally {
      // The button that was pressed was disabled meanwhile, so that it has lost the keyboard.
      restoreSoon();
    }
  };
  const forget = () => {
    latest.current += 1;
    show(IDLE);
  };
  return [run, progress, forget];
}

/**
 * Load a value when the component appears; returns {value, error, reload}. It is loaded again after
 * an error that may pass.
 */
export function useLoaded(load, dependencies = []) {
  const [loaded, show] = useState({ value: null, error: null });
  const latest = useRef(0);
  const timer = useRef(0);
  const begin = () => {
    clearTimeout(timer.current);
    return (latest.current += 1);
  };
  const reload = async () => {
    const turn = begin();
    try {
      const value = await load();
      if (turn === latest.current) show({ value, error: null });
    } catch (error) {
      if (turn !== latest.current) return;
      show({ value: null, error });
      if (PASSING.includes(error.status)) timer.current = setTimeout(reload, 2000);
    }
  };
  useEffect(() => {
    reload();
    return () => {
      begin();
    };
  }, dependencies);
  return { ...loaded, reload };
}
