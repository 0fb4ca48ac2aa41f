/* One emulated RP2040 with its flash: rp2040js, and corrections where it differs from the chip.
 *
 * Corrected: the entry and the return of an exception take time; an interrupt that is masked ends a
 * sleep without being served, also if it came before the sleep; an alarm of the timer comes at a whole microsecond; pads have their
 * reset values; a pin reads the level that it drives, and its pull-up or pull-down while nothing drives
 * it; the UARTs, USB, the flash and its interface, and the register of the reset's cause (uart.mjs,
 * usb.mjs, flash.mjs). Not emulated: the second core, DMA, and the waits of the flash's cache; the
 * program runs in RAM. */
import { BasePeripheral, GPIOPinState, RP2040 } from 'rp2040js';

import { FlashInterface, FlashSelect } from './flash.mjs';
import { BOOTLOADER, boot, fillRom } from './rom.mjs';
import { Uart } from './uart.mjs';
import { UsbController } from './usb.mjs';

export const CYCLE = 8; // nanoseconds
const PINS = 30;
const ENTRY_CYCLES = 15;
const RETURN_CYCLES = 13;
const PAD_AFTER_RESET = 0x56; // input, 4 mA, pull-down, Schmitt trigger
const IRQ_UART0 = 20;
const IRQ_UART1 = 21;
const PROGRAM_END = 0x20042000;
const WATCHDOG_AFTER_RESET = 120_000; // half microseconds, what the program last loaded
const HAD_POWER_ON = 1 << 8;
const HAD_RUN_PIN = 1 << 16;
export const RELEASED = 2;
export const Cause = { POWER: 0, BUTTON: 1, WATCHDOG: 2 };

class ChipReset extends BasePeripheral {
  constructor(chip, value) {
    super(chip, 'VREG_AND_CHIP_RESET');
    this.value = value;
  }

  readUint32(offset) {
    return offset === 8 ? this.value : 0;
  }

  writeUint32() {}
}

/* What a reset by the watchdog keeps. */
function keptBy(cause, before) {
  const scratch = new Uint32Array(8);
  if (cause === Cause.WATCHDOG) {
    scratch.set(before.watchdog.scratchData);
  }
  return scratch;
}

export class Chip {
  // `report(kind, index, value)` is called for every output, `fail(why)` for a fault of the program.
  constructor(clock, flash, memory, pins, report, fail) {
    this.clock = clock;
    this.flashChip = flash;
    this.memory = memory; // 16 MiB
    this.outside = pins; // the level that each pin is driven to from outside, or RELEASED
    this.held = new Uint8Array(PINS).fill(RELEASED); // the same, against the chip's own output
    this.millivolts = new Array(PINS).fill(0);
    this.report = report;
    this.fail = fail;
    this.extra = 0; // cycles of exceptions, not counted yet
    this.inBootloader = false;
    this.resetDue = false;
    this.ringKhz = 6500;
    this.pauses = false; // ends `run`
  }

  // Start the chip, or reset it. SRAM keeps its content unless the supply was off.
  start(cause) {
    const before = this.chip;
    const scratch = before ? keptBy(cause, this) : new Uint32Array(8);
    this.clock.keepOutside();
    const chip = new RP2040(this.clock);
    chip.flash = this.memory;
    chip.flashView = new DataView(this.memory.buffer);
    chip.flash16 = new Uint16Array(this.memory.buffer);
    if (before && cause !== Cause.POWER) {
      chip.sram.set(before.sram);
    } else {
      chip.sram.fill(0xa5);
    }
    this.chip = chip;
    this.levels = new Uint8Array(PINS).fill(RELEASED);
    this.inputs = 0;
    this.extra = 0;
    this.inBootloader = this.resetDue = false;
    fillRom(chip.bootrom);
    chip.onBreak = () => this.stop(chip.core.PC);
    chip.logger = {
      debug() {},
      info() {},
      warn: (name, message) => this.fail(`${name}: ${message}`),
      error: (name, message) => this.fail(`${name}: ${message}`),
    };
    this.replacePeripherals(cause, scratch);
    this.correctCore();
    this.correctTimer();
    this.addFrequencyCounter();
    this.correctMemory();
    for (const pin of chip.gpio) {
      this.connect(pin);
    }
    Object.defineProperty(chip, 'gpioValues', { get: () => this.inputs });
    chip.adc.onADCRead = (channel) => {
      this.converted = channel;
      this.conversion.schedule(2000);
    };
    this.conversion = this.clock.createAlarm(() => {
      const reading = Math.floor((this.millivolts[26 + this.converted] * 4096) / 3300);
      chip.adc.completeADCRead(Math.min(reading, 4095), false);
    });
    if (!boot(chip)) {
      this.stop(BOOTLOADER);
    }
  }

  stop(at) {
    if (at - 2 === BOOTLOADER || at === BOOTLOADER) {
      this.inBootloader = true;
    } else {
      this.fail(`a breakpoint at ${at.toString(16)}`);
    }
  }

  replacePeripherals(cause, scratch) {
    const { chip } = this;
    const { peripherals } = chip;
    this.uarts = [
      new Uart(chip, 'UART0', IRQ_UART0, (byte) => this.report('byte', 0, byte)),
      new Uart(chip, 'UART1', IRQ_UART1, (byte) => this.report('byte', 1, byte)),
    ];
    chip.uart = this.uarts;
    peripherals[0x50110] = this.usb = chip.usbCtrl = new UsbController(chip, this.fail);
    for (const uart of this.uarts) {
      uart.clkPeriChanged = () => {};
    }
    [peripherals[0x40034], peripherals[0x40038]] = this.uarts;
    peripherals[0x18000] = this.ssi = new FlashInterface(chip, this.flashChip);
    peripherals[0x40018] = new FlashSelect(chip, this.flashChip);
    const flag = cause === Cause.BUTTON ? HAD_RUN_PIN : HAD_POWER_ON;
    peripherals[0x40064] = new ChipReset(chip, flag);
    this.watchdog = peripherals[0x40058];
    this.watchdog.scratchData.set(scratch);
    this.watchdog.reason = cause === Cause.WATCHDOG ? 1 : 0;
    // The datasheet does not say that a reset by the watchdog switches it off, so here it does not.
    this.watchdog.timer.set(WATCHDOG_AFTER_RESET);
    this.watchdog.enable = cause === Cause.WATCHDOG;
    this.watchdog.timer.enable = this.watchdog.alarm.enable = this.watchdog.enable;
    this.watchdog.onWatchdogTrigger = () => {
      this.resetDue = true;
    };
  }

  correctCore() {
    const { core } = this.chip;
    const enter = core.exceptionEntry.bind(core);
    const leave = core.exceptionReturn.bind(core);
    core.exceptionEntry = (number) => {
      this.extra += ENTRY_CYCLES;
      enter(number);
    };
    core.exceptionReturn = (value) => {
      this.extra += RETURN_CYCLES;
      leave(value);
    };
    core.setInterrupt = (irq, value) => {
      const bit = 1 << irq;
      if (!value) {
        core.pendingInterrupts &= ~bit;
      } else if (!(core.pendingInterrupts & bit)) {
        core.pendingInterrupts |= bit;
        core.interruptsUpdated = true;
        if (core.enabledInterrupts & bit) {
          core.waiting = false;
        }
      }
    };
  }

  correctTimer() {
    const timer = this.chip.peripherals[0x40054];
    const write = timer.writeUint32.bind(timer);
    timer.writeUint32 = (offset, value) => {
      write(offset, value);
      if (offset >= 0x10 && offset <= 0x1c) {
        const { nanos } = this.clock;
        const now = Math.floor(nanos / 1000) >>> 0;
        const after = ((value >>> 0) - now) >>> 0 || 2 ** 32;
        timer.alarms[(offset - 0x10) / 4].clockAlarm.schedule(after * 1000 - (nanos % 1000));
      }
    };
  }

  // The frequency counter of the clocks, for the ring oscillator; a measurement takes 250 us.
  addFrequencyCounter() {
    const clocks = this.chip.peripherals[0x40008];
    const [read, write] = [clocks.readUint32.bind(clocks), clocks.writeUint32.bind(clocks)];
    let done = Infinity;
    clocks.readUint32 = (offset) => {
      switch (offset) {
        case 0x98: // FC0_STATUS
          return this.clock.nanos >= done ? 1 << 4 : 1 << 8;
        case 0x9c: // FC0_RESULT
          return this.ringKhz << 5;
        default:
          return read(offset);
      }
    };
    clocks.writeUint32 = (offset, value) => {
      if (offset === 0x94) {
        done = this.clock.nanos + 250000;
      } else if (offset !== 0x80) {
        write(offset, value);
      }
    };
  }

  // Most accesses are to SRAM, so it comes first. What is not memory is a fault of the program.
  correctMemory() {
    const { chip } = this;
    const { core } = chip;
    const { buffer } = chip.sram;
    const bytes = chip.sram;
    const halves = new Uint16Array(buffer);
    const words = new Uint32Array(buffer);
    const size = bytes.length;
    const read32 = chip.readUint32.bind(chip);
    const read16 = chip.readUint16.bind(chip);
    const read8 = chip.readUint8.bind(chip);
    const write32 = chip.writeUint32.bind(chip);
    const write16 = chip.writeUint16.bind(chip);
    const write8 = chip.writeUint8.bind(chip);
    const misaligned = (address) => this.fail(`an access to ${address.toString(16)}, misaligned`);
    const checkFlash = (address) => {
      if (address >>> 24 === 0x10 && !this.ssi.isMemory) {
        this.fail(`an access to ${address.toString(16)} while the flash is not memory`);
      }
    };
    core.readUint32 = chip.readUint32 = (address) => {
      const at = address - 0x20000000;
      if (at >= 0 && at < size) {
        if (at & 3) {
          misaligned(address);
        }
        return words[at >> 2];
      }
      checkFlash(address);
      return read32(address);
    };
    core.readUint16 = chip.readUint16 = (address) => {
      const at = address - 0x20000000;
      if (at >= 0 && at < size) {
        if (at & 1) {
          misaligned(address);
        }
        return halves[at >> 1];
      }
      checkFlash(address);
      if (address >= PROGRAM_END) {
        this.fail(`no code at ${address.toString(16)}`);
      }
      return read16(address);
    };
    core.readUint8 = chip.readUint8 = (address) => {
      const at = address - 0x20000000;
      if (at >= 0 && at < size) {
        return bytes[at];
      }
      checkFlash(address);
      return read8(address);
    };
    core.writeUint32 = chip.writeUint32 = (address, value) => {
      const at = address - 0x20000000;
      if (at >= 0 && at < size) {
        if (at & 3) {
          misaligned(address);
        }
        words[at >> 2] = value;
      } else if (address >>> 24 < 0x18) {
        this.fail(`a write to ${address.toString(16)}`);
      } else {
        write32(address, value);
      }
    };
    core.writeUint16 = chip.writeUint16 = write16;
    core.writeUint8 = chip.writeUint8 = write8;
  }

  // Pins

  connect(pin) {
    pin.padValue = PAD_AFTER_RESET;
    pin.lastValue = pin.value;
    const setInput = pin.setInputValue.bind(pin);
    pin.setInputValue = (value) => {
      setInput(value);
      const bit = 1 << pin.index;
      this.inputs = pin.inputValue ? this.inputs | bit : this.inputs & ~bit;
    };
    pin.checkForUpdates = () => this.pinChanged(pin);
    this.pinChanged(pin);
  }

  pinChanged(pin) {
    const { value } = pin;
    const driven = value === GPIOPinState.Low || value === GPIOPinState.High;
    const level = driven ? Number(value === GPIOPinState.High) : RELEASED;
    const outside = this.outside[pin.index];
    let input = level;
    if (this.held[pin.index] !== RELEASED) {
      input = this.held[pin.index];
    } else if (!driven) {
      input = outside === RELEASED ? Number(pin.pullupEnabled) : outside;
    }
    if (pin.rawInputValue !== Boolean(input)) {
      pin.setInputValue(Boolean(input));
    }
    if (level !== this.levels[pin.index]) {
      this.levels[pin.index] = level;
      this.report('pin', pin.index, level);
    }
  }

  drive(pin, level) {
    this.outside[pin] = level;
    this.pinChanged(this.chip.gpio[pin]);
  }

  hold(pin, level) {
    this.held[pin] = level;
    this.pinChanged(this.chip.gpio[pin]);
  }

  // Run until a time, or until `resetDue` or `pauses` is set.
  run(until) {
    const { clock } = this;
    const { core } = this.chip;
    while (clock.nanos < until && !this.resetDue && !this.pauses) {
      if (core.waiting && core.pendingInterrupts & core.enabledInterrupts) {
        core.waiting = false;
      }
      if (core.waiting || this.inBootloader) {
        clock.nanos = Math.min(clock.next, until);
      } else {
        if (core.interruptsUpdated) {
          core.checkForInterrupts();
        }
        let cycles = core.executeInstruction();
        if (this.extra) {
          cycles += this.extra;
          this.extra = 0;
        }
        clock.nanos += cycles * CYCLE;
      }
      if (clock.next <= clock.nanos) {
        clock.runAlarms();
      }
    }
  }
}
