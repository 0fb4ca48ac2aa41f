/* The second stage of the boot: the ROM copies the first 256 bytes of the flash to RAM, checks their
 * CRC, and runs them. They make the flash readable as memory, with the read command that every
 * serial flash has (03h, one bit a clock), and start the program behind them.
 *
 * The Makefile appends the CRC. The clock divider of 4 is for the 125 MHz that start.c sets: the
 * flash's limit for this command is 50 MHz. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

#define PROGRAM 0x10000100
#define STANDARD_32_BITS 0x001F0300 /* SSI_CTRLR0: 32-bit frames, "EEPROM read" */
#define READ_24_BIT_ADDRESS 0x03000218 /* SSI_SPI_CTRLR0: 03h, 8 bits of command, 24 of address */

    .section .boot2, "ax"
    .global boot2
    .thumb_func
boot2:
    ldr r3, =0x18000000
    movs r1, #0
    str r1, [r3, #8]    /* SSI_ENABLE: it must be off while it is changed */
    movs r1, #4
    str r1, [r3, #0x14] /* SSI_BAUDR */
    ldr r1, =STANDARD_32_BITS
    str r1, [r3, #0]    /* SSI_CTRLR0 */
    movs r1, #0
    str r1, [r3, #4]    /* SSI_CTRLR1: one frame */
    ldr r1, =READ_24_BIT_ADDRESS
    ldr r2, =0x180000F4
    str r1, [r2]        /* SSI_SPI_CTRLR0 */
    movs r1, #1
    str r1, [r3, #8]    /* SSI_ENABLE */

    ldr r0, =PROGRAM
    ldr r1, =0xE000ED08
    str r0, [r1]        /* the vector table */
    ldmia r0, {r0, r1}
    msr msp, r0
    bx r1
    .ltorg
