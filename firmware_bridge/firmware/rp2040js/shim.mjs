/* An emulated RP2040 for Python, as a child process: requests on standard input, answers on standard
 * output, one after the other. Time is nanoseconds since power-on; it continues through resets.
 *
 *   node shim.mjs IMAGE       IMAGE is written to the start of the flash; the rest is erased
 *
 * A request is its size (4 bytes, little-endian), one byte for its kind, and its data; an answer is its
 * size, a status (0: fine, 1: the program failed, with a sentence) and its data. Events are records of
 * 16 bytes in both directions: nanoseconds (8), value (4), kind (1), index (1), unused (2). */
import { readFileSync, readSync, writeSync } from 'node:fs';

import { Cause, Chip, RELEASED } from './chip.mjs';
import { Clock } from './clock.mjs';
import { Flash } from './flash.mjs';
import { UsbHost } from './usb.mjs';

const UART_BYTE = 0;
const PIN_LEVEL = 1;
const ANALOG_MV = 2;
const RESET = 3;
const RECORD = 16;
const MIB_16 = 1 << 24;
const STOP_AT_BYTE = 1;
const SUPPLY_PIN = 29;
const USB = 2; // the port's number among the UARTs

const clock = new Clock();
const memory = new Uint8Array(MIB_16).fill(0xff);
memory.set(readFileSync(process.argv[2]));
const flash = new Flash(clock, memory);
const outputs = [];
const wires = new Map(); // output pin -> {pin, delay, hold}
const lineFree = [0, 0];
let failure = '';
let stopsAtByte = false;
let stopsAtOutput = false;

function record(kind, index, value) {
  outputs.push([clock.nanos, value, kind, index]);
  chip.pauses ||= stopsAtOutput;
}

function report(what, index, value) {
  if (what === 'byte') {
    record(UART_BYTE, index, value);
    chip.pauses ||= stopsAtByte && index === 0;
    return;
  }
  record(PIN_LEVEL, index, value);
  const wire = wires.get(index);
  if (wire) {
    const level = value === 1 ? 1 : 0;
    const hold = level ? 0 : wire.hold;
    expect([clock.nanos + wire.delay + hold, level, PIN_LEVEL, wire.pin]);
  }
}

function fail(why) {
  failure ||= `${why} (at ${clock.nanos} ns, PC ${chip.chip.core.PC.toString(16)})`;
}

const pins = new Uint8Array(30).fill(RELEASED);
const chip = new Chip(clock, flash, memory, pins, report, fail);
chip.millivolts[SUPPLY_PIN] = 5000 / 3;
chip.start(Cause.POWER);
const host = new UsbHost(
  clock,
  () => chip.usb,
  (byte) => record(UART_BYTE, USB, byte),
  fail,
);

// Inputs

// Inputs of one time are applied in the order given.
function expect([at, value, kind, index]) {
  const alarm = clock.createAlarm(() => apply(value, kind, index));
  alarm.isOutside = true;
  alarm.schedule(Math.max(at - clock.nanos, 0));
}

function apply(value, kind, index) {
  if (kind === PIN_LEVEL) {
    chip.drive(index, value);
  } else if (kind === ANALOG_MV) {
    chip.millivolts[index] = index === SUPPLY_PIN ? value / 3 : value;
  } else if (index === USB) {
    host.send(value);
  } else {
    // A byte is received when its last bit has ended; bytes that are too fast follow each other.
    const uart = chip.uarts[index];
    const end = Math.max(clock.nanos, lineFree[index]) + uart.byteNanos;
    lineFree[index] = end;
    const alarm = clock.createAlarm(() => chip.uarts[index].receive(value));
    alarm.isOutside = true;
    alarm.schedule(end - clock.nanos);
  }
}

// Running

// Stops at the first byte of the link if `stop`, and at the first output unless one came before `least`.
function run(until, stop, least) {
  stopsAtByte = stop;
  stopsAtOutput = false;
  runOn(Math.min(least, until));
  if (outputs.length === 0 && least < until) {
    stopsAtOutput = true;
    runOn(until);
    stopsAtOutput = false;
  }
}

function runOn(until) {
  chip.pauses = false;
  while (clock.nanos < until && !failure && !chip.pauses) {
    chip.run(until);
    if (chip.resetDue) {
      reset(Cause.WATCHDOG);
    }
  }
  if (flash.problems.length) {
    fail(`the flash: ${flash.problems[0]}`);
  }
}

function reset(cause) {
  if (cause === Cause.POWER) {
    flash.cut();
  }
  record(RESET, 0, cause);
  const was = chip.levels;
  chip.start(cause);
  was.forEach((level, pin) => {
    if (level !== RELEASED && chip.levels[pin] === RELEASED) {
      record(PIN_LEVEL, pin, RELEASED);
    }
  });
}

// Requests

const HANDLERS = {
  // run: until (8), least (8), flags (1), number of events (4), events
  r(data) {
    const count = data.readUInt32LE(17);
    for (let at = 21; at < 21 + count * RECORD; at += RECORD) {
      expect([
        Number(data.readBigUInt64LE(at)),
        data.readUInt32LE(at + 8),
        data[at + 12],
        data[at + 13],
      ]);
    }
    const [until, least] = [Number(data.readBigUInt64LE(0)), Number(data.readBigUInt64LE(8))];
    run(until, (data[16] & STOP_AT_BYTE) !== 0, least);
    const answer = Buffer.alloc(8 + outputs.length * RECORD);
    answer.writeBigUInt64LE(BigInt(Math.floor(clock.nanos)), 0);
    outputs.forEach(([nanos, value, kind, index], number) => {
      const at = 8 + number * RECORD;
      answer.writeBigUInt64LE(BigInt(Math.floor(nanos)), at);
      answer.writeUInt32LE(value, at + 8);
      answer[at + 12] = kind;
      answer[at + 13] = index;
    });
    outputs.length = 0;
    return answer;
  },
  // reset: cause (1)
  z(data) {
    reset(data[0]);
    return Buffer.alloc(0);
  },
  // wire: output pin (1), input pin (1), delay (4), how much longer it stays high (4)
  w(data) {
    wires.set(data[0], {
      pin: data[1],
      delay: data.readUInt32LE(2),
      hold: data.readUInt32LE(6),
    });
    return Buffer.alloc(0);
  },
  // memory: address (4), size (4)
  m(data) {
    const at = data.readUInt32LE(0);
    const size = data.readUInt32LE(4);
    const answer = Buffer.alloc(size);
    for (let offset = 0; offset < size; offset++) {
      const address = at + offset;
      answer[offset] =
        address >>> 24 === 0x10
          ? memory[address & 0xffffff]
          : chip.chip.sram[address - 0x20000000];
    }
    return answer;
  },
  // write to the RAM or a register: address (4), bytes
  p(data) {
    const at = data.readUInt32LE(0);
    if (at >>> 24 === 0x20) {
      chip.chip.sram.set(data.subarray(4), at - 0x20000000);
    } else {
      chip.chip.writeUint32(at, data.readUInt32LE(4));
    }
    return Buffer.alloc(0);
  },
  // the frequency of the ring oscillator in kHz (4)
  k(data) {
    chip.ringKhz = data.readUInt32LE(0);
    return Buffer.alloc(0);
  },
  // hold a pin at a level against the chip's own output: pin (1), level (1)
  h(data) {
    chip.hold(data[0], data[1]);
    return Buffer.alloc(0);
  },
  // write to the flash: address in it (4), bytes; restarts the chip
  f(data) {
    memory.set(data.subarray(4), data.readUInt32LE(0));
    chip.start(Cause.POWER);
    return Buffer.alloc(0);
  },
  // power off until a time in nanoseconds (8), and on again
  o(data) {
    reset(Cause.POWER);
    clock.nanos = Math.max(clock.nanos, Number(data.readBigUInt64LE(0)));
    chip.start(Cause.POWER);
    return Buffer.alloc(0);
  },
  // USB: one member of plug, unplug, reads (whether the host takes the bytes of the port), floods,
  // control (the bytes of the setup packet, then those that follow), and erase (the milliseconds that an erase
  // of the flash takes), as JSON; the answer are the control transfers that have ended since
  u(data) {
    const asked = JSON.parse(data.toString());
    if (asked.plug) {
      host.plug();
    } else if (asked.unplug) {
      host.unplug();
    } else if (asked.reads !== undefined) {
      host.reads = asked.reads;
    } else if (asked.floods !== undefined) {
      host.floods = asked.floods;
    } else if (asked.control) {
      host.request(asked.control.slice(0, 8), asked.control.slice(8));
    } else if (asked.erase) {
      flash.eraseNanos = asked.erase * 1e6;
    }
    return Buffer.from(JSON.stringify(host.done.splice(0)));
  },
  // state: program counter (4), whether it is in the bootloader (1), erases of all sectors (4), most
  // erases of one sector (4), bytes lost by the UARTs (4)
  s() {
    const answer = Buffer.alloc(17);
    const counts = [...flash.erases.values()];
    answer.writeUInt32LE(chip.chip.core.PC >>> 0, 0);
    answer[4] = Number(chip.inBootloader);
    answer.writeUInt32LE(
      counts.reduce((sum, count) => sum + count, 0),
      5,
    );
    answer.writeUInt32LE(Math.max(0, ...counts), 9);
    answer.writeUInt32LE(chip.uarts[0].lost + chip.uarts[1].lost, 13);
    return answer;
  },
};

function readExactly(size) {
  const buffer = Buffer.alloc(size);
  let got = 0;
  while (got < size) {
    const count = readSync(0, buffer, got, size - got, null);
    if (count === 0) {
      process.exit(0);
    }
    got += count;
  }
  return buffer;
}

function writeAll(buffer) {
  let put = 0;
  while (put < buffer.length) {
    put += writeSync(1, buffer, put);
  }
}

for (;;) {
  const request = readExactly(readExactly(4).readUInt32LE(0));
  let answer = HANDLERS[String.fromCharCode(request[0])](request.subarray(1));
  if (failure) {
    answer = Buffer.from(failure);
  }
  const head = Buffer.alloc(5);
  head.writeUInt32LE(answer.length + 1, 0);
  head[4] = failure ? 1 : 0;
  writeAll(Buffer.concat([head, answer]));
}
