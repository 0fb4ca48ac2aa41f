/* The emulated chip's time in nanoseconds, with the interface that rp2040js expects of a clock. */

class Alarm {
  constructor(clock, callback) {
    this.clock = clock;
    this.callback = callback;
    this.nanos = 0;
  }

  schedule(after) {
    this.clock.remove(this);
    this.nanos = this.clock.nanos + after;
    this.clock.add(this);
  }

  cancel() {
    this.clock.remove(this);
  }
}

export class Clock {
  constructor() {
    this.nanos = 0;
    this.next = Infinity; // the time of the earliest alarm
    this.alarms = []; // the earliest last
    this.frequency = 125e6;
  }

  get micros() {
    return this.nanos / 1000;
  }

  get nanosToNextAlarm() {
    return this.next - this.nanos;
  }

  createAlarm(callback) {
    return new Alarm(this, callback);
  }

  // Alarms at one time run in the order in which they were set.
  add(alarm) {
    const { alarms } = this;
    let at = alarms.length;
    while (at > 0 && alarms[at - 1].nanos <= alarm.nanos) {
      at--;
    }
    alarms.splice(at, 0, alarm);
    this.update();
  }

  remove(alarm) {
    const at = this.alarms.indexOf(alarm);
    if (at >= 0) {
      this.alarms.splice(at, 1);
      this.update();
    }
  }

  // The chip is reset: only the alarms of events outside it stay.
  keepOutside() {
    this.alarms = this.alarms.filter((alarm) => alarm.isOutside);
    this.update();
  }

  update() {
    const { alarms } = this;
    this.next = alarms.length ? alarms[alarms.length - 1].nanos : Infinity;
  }

  // Run every alarm that is due, each at its own time.
  runAlarms() {
    const now = this.nanos;
    while (this.next <= now) {
      const alarm = this.alarms.pop();
      this.update();
      this.nanos = alarm.nanos;
      alarm.callback();
    }
    this.nanos = Math.max(now, this.nanos);
  }
}
