/* Runs first after a reset.
 *
 * It makes every pin an input, stores what a bootloader has left of the cause of the reset, and
 * stops the watchdog, which after its own reset is still on at its shortest time. The RAM is tested
 * and cleared only afterwards, so `memory_save_after_reset` can save the state that it still contains.
 *
 * .init0 comes before the C runtime's own code, which changes r25. A bootloader that jumps here may
 * have left interrupts enabled: one would have no handler here, and between the two writes that stop the
 * watchdog it would make the second one void. The sources of interrupts that the firmware does not use
 * are switched off. */
#include <avr/io.h>

.section .init0, "ax", @progbits
    cli
    out _SFR_IO_ADDR(GPIOR2), r25

.section .init3, "ax", @progbits
    in r24, _SFR_IO_ADDR(MCUSR)
    out _SFR_IO_ADDR(GPIOR1), r24
    out _SFR_IO_ADDR(MCUSR), r1
    wdr
    ldi r24, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r24
    sts WDTCSR, r1
    sts TIMSK0, r1
    sts TIMSK2, r1
    sts TIMSK4, r1
    sts PCICR, r1
    sts TWCR, r1
    out _SFR_IO_ADDR(EIMSK), r1
    out _SFR_IO_ADDR(SPCR), r1
    call pins_release_all
    call reset_find_cause
    call memory_save_after_reset

/* The test of the RAM: March C- with the patterns 0x55 and 0xAA, which finds cells that are stuck or do
 * not change, addresses that select a wrong cell, and cells that change with another one. It takes
 * 15 ms, uses registers only, and changes every byte but those that survive a reset (.noinit, whose size
 * reset.c checks). If it finds a defect, the program ends here: the stack may be in the damaged cells, so no code
 * could keep the outputs off. All pins are inputs, and the watchdog is off. */
#define CELLS_AT_ONCE 8

.macro from_below
    ldi r30, lo8(RAMSTART)
    ldi r31, hi8(RAMSTART)
.endm

.macro until_above
    cpi r31, hi8(RAMEND + 1)
.endm

.macro expect_in_cell pattern
    cpse r24, \pattern
    rjmp memory_is_damaged
.endm

.macro upward old, new
    from_below
1:
    .rept CELLS_AT_ONCE
    ld r24, Z
    expect_in_cell \old
    st Z+, \new
    .endr
    until_above
    brne 1b
.endm

.macro downward old, new
    ldi r30, lo8(RAMEND + 1)
    ldi r31, hi8(RAMEND + 1)
1:
    .rept CELLS_AT_ONCE
    ld r24, -Z
    expect_in_cell \old
    st Z, \new
    .endr
    ldi r24, hi8(RAMSTART)
    cpi r30, lo8(RAMSTART)
    cpc r31, r24
    brne 1b
.endm

.global memory_test
memory_test:
    lds r2, __noinit_start
    lds r3, __noinit_start + 1
    lds r4, __noinit_start + 2
    lds r5, __noinit_start + 3
    lds r6, __noinit_start + 4
    lds r7, __noinit_start + 5
    lds r8, __noinit_start + 6
    ldi r16, 0x55
    ldi r17, 0xAA
    from_below
1:
    .rept CELLS_AT_ONCE
    st Z+, r16
    .endr
    until_above
    brne 1b
    upward r16, r17
    upward r17, r16
    downward r16, r17
    downward r17, r16
    from_below
1:
    .rept CELLS_AT_ONCE
    ld r24, Z+
    expect_in_cell r16
    .endr
    until_above
    brne 1b
    sts __noinit_start, r2
    sts __noinit_start + 1, r3
    sts __noinit_start + 2, r4
    sts __noinit_start + 3, r5
    sts __noinit_start + 4, r6
    sts __noinit_start + 5, r7
    sts __noinit_start + 6, r8
    rjmp memory_is_tested
.global memory_is_damaged
memory_is_damaged:
    rjmp memory_is_damaged
memory_is_tested:

/* After a reset by the watchdog, the Mega's own bootloader means to start the firmware at once, but
 * its EIND is 1, so it calls address 0x20000. Without this jump the processor would run through the
 * erased flash up to the bootloader, and the cause of the reset would be lost. */
.section .watchdog_entry, "ax", @progbits
.global watchdog_entry
watchdog_entry:
    jmp 0

/* The CRC of the program, which program_crc.py writes into the file after it is linked. */
.global program_crc
program_crc:
    .word 0xFFFF
