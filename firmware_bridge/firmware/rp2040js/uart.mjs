/* A UART without its FIFOs, with the time that every byte takes. rp2040js sends a byte at once, has no
 * transmit interrupt that waits for room, and never loses a byte.
 *
 * Datasheet of the RP2040, section 4.2: the transmit interrupt rises when the holding register becomes
 * empty, and is cleared by a write to it. A byte that arrives while the last one was not read is
 * lost. */
import { BasePeripheral } from 'rp2040js';

const DR = 0x00;
const FR = 0x18;
const IBRD = 0x24;
const FBRD = 0x28;
const LCR_H = 0x2c;
const CR = 0x30;
const IMSC = 0x38;
const RIS = 0x3c;
const MIS = 0x40;
const ICR = 0x44;
const BUSY = 1 << 3;
const RX_EMPTY = 1 << 4;
const TX_FULL = 1 << 5;
const RX_FULL = 1 << 6;
const TX_EMPTY = 1 << 7;
const RX_INTERRUPT = 1 << 4;
const TX_INTERRUPT = 1 << 5;
const CYCLE = 8; // nanoseconds

export class Uart extends BasePeripheral {
  constructor(chip, name, irq, sent) {
    super(chip, name);
    this.irq = irq;
    this.sent = sent; // called with each byte when its start bit begins
    this.registers = { [IBRD]: 0, [FBRD]: 0, [LCR_H]: 0, [CR]: 0, [IMSC]: 0 };
    this.status = 0;
    this.received = null;
    this.holding = null;
    this.shifting = false;
    this.lost = 0;
    this.shifted = chip.clock.createAlarm(() => this.endShift());
  }

  // Nanoseconds of a byte: ten bits of sixteen samples.
  get byteNanos() {
    return 160 * (this.registers[IBRD] + this.registers[FBRD] / 64) * CYCLE;
  }

  get isOn() {
    return (this.registers[CR] & 1) !== 0;
  }

  update() {
    this.rp2040.setInterrupt(this.irq, (this.status & this.registers[IMSC]) !== 0);
  }

  // A byte has arrived from outside.
  receive(byte) {
    if (!this.isOn) {
      return;
    }
    if (this.received !== null) {
      this.lost++;
      return;
    }
    this.received = byte;
    this.status |= RX_INTERRUPT;
    this.update();
  }

  beginShift(byte) {
    this.shifting = true;
    this.sent(byte);
    this.shifted.schedule(this.byteNanos);
  }

  endShift() {
    this.shifting = false;
    if (this.holding !== null) {
      const byte = this.holding;
      this.holding = null;
      this.beginShift(byte);
      this.status |= TX_INTERRUPT;
      this.update();
    }
  }

  readUint32(offset) {
    switch (offset) {
      case DR: {
        const byte = this.received ?? 0;
        this.received = null;
        this.status &= ~RX_INTERRUPT;
        this.update();
        return byte;
      }
      case FR:
        return (
          (this.shifting || this.holding !== null ? BUSY : 0) |
          (this.received === null ? RX_EMPTY : RX_FULL) |
          (this.holding === null ? TX_EMPTY : TX_FULL)
        );
      case RIS:
        return this.status;
      case MIS:
        return this.status & this.registers[IMSC];
      default:
        return this.registers[offset] ?? super.readUint32(offset);
    }
  }

  writeUint32(offset, value) {
    switch (offset) {
      case DR:
        this.write(value & 0xff);
        break;
      case ICR:
        this.status &= ~this.rawWriteValue;
        this.update();
        break;
      default:
        if (this.registers[offset] === undefined) {
          super.writeUint32(offset, value);
          return;
        }
        this.registers[offset] = value;
        this.update();
    }
  }

  write(byte) {
    this.status &= ~TX_INTERRUPT;
    if (!this.shifting) {
      this.beginShift(byte);
      this.status |= TX_INTERRUPT;
    } else if (this.holding === null) {
      this.holding = byte;
    }
    this.update();
  }
}
