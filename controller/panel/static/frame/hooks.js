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

/**
 * An action that waits for the API: returns [run, {busy, error, done}]. `run(work)` awaits
 * `work()`, keeps its error for `Notice`, and returns whether it succeeded.
 */
export function useAction() {
  const [progress, show] = useState({ busy: false, error: null, done: null });
  const mounted = useRef(true);
  useEffect(() => () => (mounted.current = false), []);
  const run = async (work) => {
    show({ busy: true, error: null, done: null });
    try {
      const done = await work();
      if (mounted.current) show({ busy: false, error: null, done: done ?? true });
      return true;
    } catch (error) {
      if (mounted.current) show({ busy: false, error, done: null });
      return false;
    } finally {
      // The button that was pressed was disabled meanwhile, so that it has lost the keyboard.
      restoreSoon();
    }
  };
  return [run, progress, () => show({ busy: false, error: null, done: null })];
}

/** Load a value when the component appears; returns {value, error, reload}. */
export function useLoaded(load, dependencies = []) {
  const [loaded, show] = useState({ value: null, error: null });
  const latest = useRef(0);
  const reload = async () => {
    const turn = (latest.current += 1);
    try {
      const value = await load();
      if (turn === latest.current) show({ value, error: null });
    } catch (error) {
      if (turn === latest.current) show({ value: null, error });
    }
  };
  useEffect(() => {
    reload();
    return () => (latest.current += 1);
  }, dependencies);
  return { ...loaded, reload };
}
