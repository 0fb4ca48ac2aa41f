// The time of the table on this page: it runs evenly, at the rate at which events arrive.

const SLOWEST = 0.2;
const FASTEST = 200;
/** Limits of the rate: a simulated table can run much faster than real time. */
const SHORTEST = 0.15;
/** Real seconds between two events from which a rate is measured. */

/**
 * A clock in seconds of the table. `real` returns real seconds. The clock never goes back; its rate
 * follows the times of the events, so that motions end when those of the table end.
 */
export class TableClock {
  constructor(real, rate) {
    this.real = real;
    this.fixed = rate !== undefined;
    this.rate = rate ?? 1;
    this.base = 0;
    this.since = real();
    this.mark = null;
  }

  /** The present time. */
  now() {
    return this.base + (this.real() - this.since) * this.rate;
  }

  /** Takes the time `t` of an event that has just arrived. */
  take(t) {
    if (this.fixed || typeof t !== "number") return;
    const real = this.real();
    const { mark } = this;
    if (!mark || t < mark.t) {
      this.mark = { t, real };
      return;
    }
    const passed = real - mark.real;
    if (passed < SHORTEST) return;
    const measured = (t - mark.t) / passed;
    this.mark = { t, real };
    if (measured <= 0) return;
    this.base = this.now();
    this.since = real;
    const near = 0.5 * this.rate + 0.5 * measured;
    this.rate = Math.min(FASTEST, Math.max(SLOWEST, near));
  }
}
