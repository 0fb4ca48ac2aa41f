/* The serial flash beside the chip, and the flash interface through which a program sends it commands.
 * rp2040js answers every command with zeros.
 *
 * Times are the typical ones of the W25Q16JV: a program takes 30 us for its first byte and 1.5 us for
 * each other one, an erase of a sector 45 ms; a suspend takes 20 us. As on the chip, a program can only
 * change ones to zeros, within one page, and nothing but the status can be read while it is busy. */
import { BasePeripheral } from 'rp2040js';

const PAGE = 256;
const SECTOR = 4096;
const FIRST_BYTE = 30e3;
const EACH_BYTE = 1.5e3;
const SUSPEND = 20e3;
const MIB_2 = 1 << 21;
const BUSY = 1;
const ENABLED = 2;
const UNIQUE_ID = [0xe6, 0x60, 0x58, 0x38, 0x83, 0x35, 0x54, 0x2a];

export class Flash {
  constructor(clock, memory) {
    this.clock = clock;
    this.memory = memory;
    this.eraseNanos = 45e6;
    this.freeAt = 0;
    this.enabled = false;
    this.erasing = -1; // the sector, or -1
    this.left = 0; // nanoseconds of a suspended erase
    this.suspended = false;
    this.command = [];
    this.problems = []; // commands that the chip would not execute
    this.erases = new Map(); // by sector
  }

  get isBusy() {
    return this.clock.nanos < this.freeAt;
  }

  // The supply fails: what is under way does not end.
  cut() {
    if (this.erasing >= 0 && (this.isBusy || this.suspended)) {
      this.memory.fill(0xa5, this.erasing, this.erasing + SECTOR / 2);
    }
    this.freeAt = 0;
    this.suspended = false;
    this.erasing = -1;
  }

  refuse(why) {
    this.problems.push(why);
  }

  // One byte each way. `command` contains the bytes since the selection.
  exchange(byte) {
    const { command } = this;
    command.push(byte);
    const [code] = command;
    switch (code) {
      case 0x05:
        return command.length > 1 ? (this.isBusy ? BUSY : 0) | (this.enabled ? ENABLED : 0) : 0;
      case 0x4b:
        return command.length > 5 ? UNIQUE_ID[command.length - 6] ?? 0 : 0;
      case 0x03:
        return command.length > 4 ? this.read(command.length - 5) : 0;
      default:
        return 0;
    }
  }

  get address() {
    return ((this.command[1] << 16) | (this.command[2] << 8) | this.command[3]) % MIB_2;
  }

  read(offset) {
    if (this.isBusy) {
      this.refuse('read while busy');
      return 0;
    }
    return this.memory[(this.address + offset) % MIB_2];
  }

  // The end of a command.
  release() {
    const [code] = this.command;
    const size = this.command.length;
    if (this.isBusy && code !== 0x05 && code !== 0x75 && size) {
      this.refuse(`command ${code.toString(16)} while busy`);
    } else if (code === 0x06) {
      this.enabled = true;
    } else if (code === 0x02 && size > 4) {
      this.program(this.address, this.command.slice(4));
    } else if (code === 0x20 && size === 4) {
      this.erase(this.address & ~(SECTOR - 1));
    } else if (code === 0x75) {
      this.suspend();
    } else if (code === 0x7a) {
      this.resume();
    }
    this.command = [];
  }

  takeEnabled(what) {
    if (!this.enabled) {
      this.refuse(`${what} without write enable`);
    }
    const was = this.enabled;
    this.enabled = false;
    return was;
  }

  program(at, bytes) {
    if (!this.takeEnabled('program')) {
      return;
    }
    if (this.suspended && at >= this.erasing && at < this.erasing + SECTOR) {
      this.refuse('program in the sector of a suspended erase');
    }
    const page = at & ~(PAGE - 1);
    bytes.forEach((byte, index) => {
      this.memory[page + ((at + index) % PAGE)] &= byte;
    });
    this.freeAt = this.clock.nanos + FIRST_BYTE + EACH_BYTE * (bytes.length - 1);
  }

  erase(sector) {
    if (!this.takeEnabled('erase')) {
      return;
    }
    if (this.suspended) {
      this.refuse('erase while an erase is suspended');
      return;
    }
    this.memory.fill(0xff, sector, sector + SECTOR);
    this.erases.set(sector, (this.erases.get(sector) ?? 0) + 1);
    this.erasing = sector;
    this.freeAt = this.clock.nanos + this.eraseNanos;
  }

  suspend() {
    if (this.isBusy && this.erasing >= 0 && !this.suspended) {
      this.left = this.freeAt - this.clock.nanos;
      this.suspended = true;
      this.freeAt = this.clock.nanos + SUSPEND;
    }
  }

  resume() {
    if (this.suspended) {
      this.suspended = false;
      this.freeAt = this.clock.nanos + this.left;
    }
  }
}

const CTRLR0 = 0x00;
const ENABLE = 0x08;
const SR = 0x28;
const DR0 = 0x60;
const TX_NOT_FULL = 2;
const TX_EMPTY = 4;
const RX_NOT_EMPTY = 8;
const FIFO = 16;
const EIGHT_BITS = 7;

/* The flash interface. While it has 32-bit frames it reads the flash as memory; with 8-bit frames it
 * exchanges single bytes, each of which takes its time on the wires. */
export class FlashInterface extends BasePeripheral {
  constructor(chip, flash) {
    super(chip, 'SSI');
    this.flash = flash;
    this.registers = {};
    this.received = []; // {byte, at}: the time from which it can be read
  }

  get isMemory() {
    return this.registers[ENABLE] === 1 && ((this.registers[CTRLR0] >>> 16) & 31) === 31;
  }

  get byteNanos() {
    return 8 * (this.registers[0x14] ?? 4) * 8;
  }

  readUint32(offset) {
    const { received } = this;
    const now = this.rp2040.clock.nanos;
    switch (offset) {
      case SR: {
        const waiting = received.filter((entry) => entry.at > now).length;
        return (
          (waiting < FIFO ? TX_NOT_FULL : 0) |
          (waiting === 0 ? TX_EMPTY : 0) |
          (received.length && received[0].at <= now ? RX_NOT_EMPTY : 0)
        );
      }
      case DR0:
        return received.length && received[0].at <= now ? received.shift().byte : 0;
      default:
        return this.registers[offset] ?? 0;
    }
  }

  writeUint32(offset, value) {
    if (offset !== DR0) {
      this.registers[offset] = value;
      return;
    }
    if (((this.registers[CTRLR0] >>> 16) & 31) !== EIGHT_BITS || this.received.length >= FIFO) {
      this.flash.refuse('a byte that the flash interface does not send');
      return;
    }
    const now = this.rp2040.clock.nanos;
    const last = this.received.length ? this.received[this.received.length - 1].at : 0;
    const byte = this.flash.exchange(value & 0xff);
    this.received.push({ byte, at: Math.max(now, last) + this.byteNanos });
  }
}

/* The GPIO of the flash's chip select, which a program forces low for a command. */
export class FlashSelect extends BasePeripheral {
  constructor(chip, flash) {
    super(chip, 'IO_QSPI');
    this.flash = flash;
    this.control = 0;
  }

  readUint32() {
    return this.control;
  }

  writeUint32(offset, value) {
    if (offset !== 0x0c) {
      super.writeUint32(offset, value);
      return;
    }
    const wasLow = ((this.control >>> 8) & 3) === 2;
    this.control = value;
    if (wasLow && ((value >>> 8) & 3) !== 2) {
      this.flash.release();
    }
  }
}
