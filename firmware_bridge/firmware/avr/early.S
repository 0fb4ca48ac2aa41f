/* Runs first after a reset.
 *
 * It makes every pin an input, stores what a bootloader has left of the cause of the reset, and
 * stops the watchdog, which after its own reset is still on at its shortest time. The RAM is cleared
 * only afterwards, so `memory_save_after_reset` can save the state that it still contains.
 *
 * .init0 comes before the C runtime's own code, which changes r25. */
#include <avr/io.h>

.section .init0, "ax", @progbits
    out _SFR_IO_ADDR(GPIOR2), r25

.section .init3, "ax", @progbits
    in r24, _SFR_IO_ADDR(MCUSR)
    out _SFR_IO_ADDR(GPIOR1), r24
    out _SFR_IO_ADDR(MCUSR), r1
    wdr
    ldi r24, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r24
    sts WDTCSR, r1
    call pins_release_all
    call reset_find_cause
    call memory_save_after_reset

/* After a reset by the watchdog, the Mega's own bootloader means to start the firmware at once, but
 * its EIND is 1, so it calls address 0x20000. Without this jump the processor would run through the
 * erased flash up to the bootloader, and the cause of the reset would be lost. */
.section .watchdog_entry, "ax", @progbits
.global watchdog_entry
watchdog_entry:
    jmp 0
