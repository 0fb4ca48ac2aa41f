/* The parts of the boot ROM that this project's program uses: the check of the second stage of the
 * boot, and the function that enters the bootloader. Written from section 2.8 of the datasheet. */

export const SECOND_STAGE = 252;
export const BOOTLOADER = 0xa0; // the address of the function; it stops the emulated processor
const STACK = 0x20041f00;
const RAM = 0x20000000;

const HALF_WORDS = {
  0x14: [0x40, 0x40, 0x81], // the tables of functions and data, and the function that searches them
  0x40: ['U'.charCodeAt(0) | ('B'.charCodeAt(0) << 8), BOOTLOADER | 1, 0, 0],
  // search(table, code): ldrh r2,[r0]; cmp r2,#0; beq 1f; cmp r2,r1; beq 2f; adds r0,#4; b .-12;
  // 2: ldrh r0,[r0,#2]; bx lr; 1: movs r0,#0; bx lr
  0x80: [
    0x8802, 0x2a00, 0xd005, 0x428a, 0xd001, 0x3004, 0xe7f8, 0x8840, 0x4770, 0x2000, 0x4770,
  ],
  [BOOTLOADER]: [0xbe00], // bkpt
};

export function fillRom(words) {
  const halves = new Uint16Array(words.buffer);
  for (const [at, values] of Object.entries(HALF_WORDS)) {
    halves.set(values, Number(at) / 2);
  }
}

export function crcOf(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    }
  }
  return crc >>> 0;
}

/* Start the program as the ROM does; false if the second stage is damaged. */
export function boot(chip) {
  const stage = chip.flash.subarray(0, SECOND_STAGE);
  const stored = new DataView(chip.flash.buffer).getUint32(SECOND_STAGE, true);
  if (crcOf(stage) !== stored) {
    return false;
  }
  chip.sram.set(chip.flash.subarray(0, SECOND_STAGE + 4), STACK - RAM);
  chip.core.SP = STACK;
  chip.core.LR = 0;
  chip.core.PC = STACK;
  return true;
}
