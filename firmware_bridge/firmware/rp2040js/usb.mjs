/* The USB controller of the RP2040 as a device, and a host with the port of a CDC-ACM device.
 *
 * The controller of rp2040js gives every buffer back at once, whether or not a host has asked for it, and
 * has neither addresses, toggles nor refusals. This one exchanges single packets (datasheet, section
 * 4.1.2): a packet for which no buffer is ready, or which is for another address, has no effect.
 *
 * The host enumerates the device as Linux does, opens its port, and exchanges packets every 100 us. */
import { BasePeripheral } from 'rp2040js';

const ADDR = 0x00;
const SOF_RD = 0x48;
const SIE_CTRL = 0x4c;
const SIE_STATUS = 0x50;
const BUFF_STATUS = 0x58;
const STALL_ARM = 0x68;
const MUXING = 0x74;
const POWER = 0x78;
const MAIN = 0x40;
const PULL_UP = 1 << 16;
const CONTROL_BUFFERS = 1 << 29;
const BUS_RESET = 1 << 19;
const SETUP = 1 << 17;
const SUSPENDED = 1 << 4;
const FULL = 1 << 15;
const DATA1 = 1 << 13;
const STALL = 1 << 11;
const AVAILABLE = 1 << 10;
const LENGTH = 0x3ff;
const ENABLE = 1 << 31;
const EACH_BUFFER = 1 << 29;
const FRAME = 1e6; // nanoseconds
const END_OF_FRAME = 200e3;
const DATA = 2; // the endpoint
const PHY_CONNECTED = 0b1001;
const POWER_OVERRIDE = 0b1100;

export class UsbController extends BasePeripheral {
  constructor(chip, fail) {
    super(chip, 'USB');
    this.clock = chip.clock;
    this.fail = fail;
    this.memory = chip.usbDPRAMView;
    this.registers = { [ADDR]: 0, [MAIN]: 0, [SIE_CTRL]: 0, [MUXING]: 0, [POWER]: 0, [STALL_ARM]: 0 };
    this.status = this.buffers = 0;
    this.suspended = false;
    this.before = new Map(); // the value of each buffer's word before the last write
  }

  get isAttached() {
    const { registers } = this;
    return (
      registers[MAIN] === 1 &&
      (registers[MUXING] & PHY_CONNECTED) === PHY_CONNECTED &&
      (registers[POWER] & POWER_OVERRIDE) === POWER_OVERRIDE &&
      (registers[SIE_CTRL] & PULL_UP) !== 0
    );
  }

  readUint32(offset) {
    switch (offset) {
      case SOF_RD:
        return Math.floor(this.clock.nanos / FRAME) & 0x7ff;
      case SIE_STATUS:
        return this.status | (this.suspended ? SUSPENDED : 0);
      case BUFF_STATUS:
        return this.buffers;
      default:
        return this.registers[offset] ?? super.readUint32(offset);
    }
  }

  writeUint32(offset, value) {
    switch (offset) {
      case SIE_STATUS:
        this.status &= ~this.rawWriteValue;
        break;
      case BUFF_STATUS:
        this.buffers &= ~this.rawWriteValue;
        break;
      default:
        if (this.registers[offset] === undefined) {
          this.fail(`a write to the register ${offset.toString(16)} of USB`);
        }
        this.registers[offset] = value;
    }
  }

  // The controller must see the other bits of a buffer before AVAILABLE.
  DPRAMUpdated(offset, value) {
    if (offset < 0x80 || offset >= 0x100) {
      return;
    }
    const before = this.before.get(offset) ?? 0;
    if (value & AVAILABLE && (before & ~AVAILABLE) !== (value & ~AVAILABLE)) {
      this.fail(`a buffer of USB that was given while it was filled (${value.toString(16)})`);
    }
    // Erratum RP2040-E15, for the data that the device sends.
    const left = FRAME - (this.clock.nanos % FRAME);
    if (value & AVAILABLE && offset === 0x80 + 8 * DATA && left <= END_OF_FRAME) {
      this.fail(`a buffer of USB that was given ${left / 1e3} us before the end of a frame`);
    }
    this.before.set(offset, value);
  }

  // The word of a buffer, if the endpoint answers; its data are at `at`.
  buffer(endpoint, isOut) {
    const control = endpoint
      ? this.memory.getUint32(8 * endpoint + (isOut ? 4 : 0), true)
      : ENABLE | 0x100 | (this.registers[SIE_CTRL] & CONTROL_BUFFERS ? EACH_BUFFER : 0);
    const word = 0x80 + 8 * endpoint + (isOut ? 4 : 0);
    const isArmed = endpoint || this.registers[STALL_ARM] & (isOut ? 2 : 1);
    return {
      enabled: (control & ENABLE) !== 0,
      reports: (control & EACH_BUFFER) !== 0,
      at: control & 0xfc0,
      word,
      value: this.memory.getUint32(word, true),
      isArmed: Boolean(isArmed),
    };
  }

  giveBack(buffer, endpoint, isOut, value) {
    this.memory.setUint32(buffer.word, value, true);
    this.before.set(buffer.word, value);
    if (buffer.reports) {
      this.buffers |= 1 << (2 * endpoint + (isOut ? 1 : 0));
    }
  }

  answers(address) {
    return this.isAttached && this.registers[ADDR] === address && !(this.status & BUS_RESET);
  }

  resetBus() {
    this.status |= BUS_RESET;
  }

  // Transactions: each returns 'nothing', 'nak', 'stall', 'ack', or the packet {data, pid}.

  setup(address, bytes) {
    if (!this.answers(address)) {
      return 'nothing';
    }
    bytes.forEach((byte, at) => this.memory.setUint8(at, byte));
    this.status |= SETUP;
    this.registers[STALL_ARM] = 0;
    return 'ack';
  }

  in(address, endpoint) {
    const buffer = this.buffer(endpoint, false);
    if (!this.answers(address) || !buffer.enabled) {
      return 'nothing';
    }
    if (buffer.value & STALL && buffer.isArmed) {
      return 'stall';
    }
    if (!(buffer.value & AVAILABLE) || !(buffer.value & FULL)) {
      return 'nak';
    }
    const size = buffer.value & LENGTH;
    const data = [...new Uint8Array(this.memory.buffer, buffer.at, size)];
    this.giveBack(buffer, endpoint, false, buffer.value & ~(AVAILABLE | FULL));
    return { data, pid: buffer.value & DATA1 ? 1 : 0 };
  }

  out(address, endpoint, pid, data) {
    const buffer = this.buffer(endpoint, true);
    if (!this.answers(address) || !buffer.enabled) {
      return 'nothing';
    }
    if (buffer.value & STALL && buffer.isArmed) {
      return 'stall';
    }
    if (!(buffer.value & AVAILABLE)) {
      return 'nak';
    }
    if (Boolean(buffer.value & DATA1) !== Boolean(pid)) {
      this.fail(`a packet of endpoint ${endpoint} with the wrong toggle`);
    }
    if (data.length > (buffer.value & LENGTH)) {
      this.fail(`a packet of ${data.length} bytes for a buffer of ${buffer.value & LENGTH}`);
    }
    data.forEach((byte, at) => this.memory.setUint8(buffer.at + at, byte));
    const kept = buffer.value & ~(AVAILABLE | LENGTH);
    this.giveBack(buffer, endpoint, true, kept | FULL | data.length);
    return 'ack';
  }
}

const STEP = 100e3; // nanoseconds
const DEBOUNCE = 10e6;
const RESET = 10e6;
const UNTIL_SUSPENDED = 3e6;
const PATIENCE = 500e6; // for a control transfer
const PACKET = 64;
const TO_HOST = 0x80;
const OWN_ADDRESS = 7;

function words(...values) {
  return values.flatMap((value) => [value & 0xff, value >> 8]);
}

function describing(kind, length, language = 0) {
  return { setup: [0x80, 6, ...words(kind, language, length)] };
}

const ENUMERATION = [
  { reset: true },
  describing(0x100, 64),
  { reset: true },
  { setup: [0, 5, ...words(OWN_ADDRESS, 0, 0)], address: OWN_ADDRESS },
  describing(0x100, 18),
  describing(0x600, 10),
  describing(0x200, 9),
  describing(0x200, 255),
  describing(0x300, 255),
  describing(0x301, 255, 0x409),
  describing(0x302, 255, 0x409),
  describing(0x303, 255, 0x409),
  { setup: [0, 9, ...words(1, 0, 0)], configured: true },
];
const NOISE = [1, 2, 3, 4, 5, 6, 7, 0]; // a run that is no frame
const OPENING = [
  { setup: [0x21, 0x20, ...words(0, 0, 7)], data: [0x90, 0xd0, 0x03, 0, 0, 0, 8] },
  { setup: [0x21, 0x22, ...words(3, 0, 0)] },
];

export class UsbHost {
  // `device()` is the present controller, `received(byte)` is called for every byte of its port.
  constructor(clock, device, received, fail) {
    this.clock = clock;
    this.device = device;
    this.received = received;
    this.fail = fail;
    this.isPlugged = false;
    this.floods = false; // sends requests and bytes as fast as the device takes them
    this.done = []; // control transfers: {setup, data} or {setup, refused: true}
    this.detach();
    this.alarm = clock.createAlarm(() => this.step());
    this.alarm.isOutside = true;
  }

  detach() {
    this.attachedAt = null;
    this.address = 0;
    this.isConfigured = false;
    this.reads = true;
    this.queue = []; // requests
    this.transfer = null;
    this.quietUntil = 0;
    this.unsent = [];
    this.pids = [0, 0]; // of the data endpoint: in, out
  }

  plug() {
    this.isPlugged = true;
    this.device().suspended = false;
    this.detach();
    this.alarm.schedule(STEP);
  }

  unplug() {
    this.isPlugged = false;
    this.alarm.cancel();
    this.detach();
    const controller = this.device();
    const alarm = this.clock.createAlarm(() => {
      controller.suspended = !this.isPlugged;
    });
    alarm.isOutside = true;
    alarm.schedule(UNTIL_SUSPENDED);
  }

  send(byte) {
    if (this.isPlugged) {
      this.unsent.push(byte);
    }
  }

  request(setup, data = []) {
    this.queue.push({ setup, data });
  }

  step() {
    this.alarm.schedule(STEP);
    const { nanos } = this.clock;
    const device = this.device();
    if (!device.isAttached) {
      this.detach();
      return;
    }
    if (this.attachedAt === null) {
      this.attachedAt = nanos;
      this.quietUntil = nanos + DEBOUNCE;
      this.queue = [...ENUMERATION, ...OPENING];
    }
    if (nanos < this.quietUntil) {
      return;
    }
    if (this.floods && this.isConfigured) {
      this.flood();
    }
    this.control(device, nanos);
    if (this.isConfigured) {
      this.exchange(device);
    }
  }

  flood() {
    if (!this.queue.length && !this.transfer) {
      this.queue.push(describing(0x200, 255));
      this.done = [];
    }
    while (this.unsent.length < PACKET) {
      this.unsent.push(...NOISE);
    }
  }

  control(device, nanos) {
    if (!this.transfer && this.queue.length) {
      const next = this.queue.shift();
      if (next.reset) {
        device.resetBus();
        this.address = 0;
        this.isConfigured = false;
        this.quietUntil = nanos + RESET;
        return;
      }
      this.transfer = { ...next, got: [], stage: 'setup', pid: 1, sent: 0, until: nanos + PATIENCE };
    }
    if (this.transfer) {
      if (nanos > this.transfer.until) {
        this.fail(`a request of USB without an answer: ${this.transfer.setup}`);
      }
      this.advance(device, this.transfer);
    }
  }

  // One packet of the transfer.
  advance(device, transfer) {
    const { setup } = transfer;
    const length = setup[6] | (setup[7] << 8);
    const toHost = (setup[0] & TO_HOST) !== 0 && length > 0;
    if (transfer.stage === 'setup') {
      if (device.setup(this.address, setup) === 'ack') {
        transfer.stage = length ? 'data' : 'status';
      }
    } else if ((transfer.stage === 'data') === toHost) {
      this.advanceIn(device, transfer, length);
    } else {
      this.advanceOut(device, transfer, length);
    }
  }

  // A packet of the answer, or the acknowledgement of the bytes that were sent.
  advanceIn(device, transfer, length) {
    const packet = device.in(this.address, 0);
    if (packet === 'stall') {
      this.end({ setup: transfer.setup, refused: true });
    } else if (packet.data) {
      const isStatus = transfer.stage === 'status';
      if (packet.pid !== (isStatus ? 1 : transfer.pid)) {
        this.fail(`an answer to ${transfer.setup} with the wrong toggle`);
      }
      transfer.pid ^= 1;
      if (isStatus) {
        this.accept(transfer);
        return;
      }
      transfer.got.push(...packet.data);
      if (transfer.got.length > length) {
        this.fail(`${transfer.got.length} bytes as the answer to ${transfer.setup}`);
      }
      if (packet.data.length < PACKET || transfer.got.length === length) {
        transfer.stage = 'status';
      }
    }
  }

  advanceOut(device, transfer, length) {
    const isStatus = transfer.stage === 'status';
    const data = isStatus ? [] : (transfer.data ?? []).slice(transfer.sent, transfer.sent + PACKET);
    const answer = device.out(this.address, 0, isStatus ? 1 : transfer.pid, data);
    if (answer === 'stall') {
      this.end({ setup: transfer.setup, refused: true });
    } else if (answer === 'ack') {
      transfer.pid ^= 1;
      transfer.sent += data.length;
      if (isStatus) {
        this.accept(transfer);
      } else if (transfer.sent >= length || data.length < PACKET) {
        transfer.stage = 'status';
      }
    }
  }

  accept(transfer) {
    const { setup, got } = transfer;
    if (transfer.address) {
      this.address = transfer.address;
      this.quietUntil = this.clock.nanos + 2e6;
    }
    if (transfer.configured) {
      this.isConfigured = true;
      this.pids = [0, 0];
    }
    this.end({ setup, data: got });
  }

  end(result) {
    this.done.push(result);
    this.transfer = null;
  }

  exchange(device) {
    if (this.unsent.length) {
      const data = this.unsent.slice(0, PACKET);
      if (device.out(this.address, DATA, this.pids[1], data) === 'ack') {
        this.pids[1] ^= 1;
        this.unsent.splice(0, data.length);
      }
    }
    const packet = this.reads ? device.in(this.address, DATA) : 'nak';
    if (packet.data) {
      if (packet.pid !== this.pids[0]) {
        this.fail('a packet of the data endpoint with the wrong toggle');
      }
      this.pids[0] ^= 1;
      packet.data.forEach(this.received);
    }
  }
}
