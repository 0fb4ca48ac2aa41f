/* Runs first after a reset: stores the cause in GPIOR1, and stops the watchdog, which after its own
 * reset is still on at its shortest time. The RAM is cleared only afterwards, so
 * `memory_save_after_reset` can save the state that it still contains. */
#include <avr/io.h>

.section .init3, "ax", @progbits
    in r24, _SFR_IO_ADDR(MCUSR)
    out _SFR_IO_ADDR(GPIOR1), r24
    out _SFR_IO_ADDR(MCUSR), r1
    wdr
    ldi r24, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r24
    sts WDTCSR, r1
    call memory_save_after_reset
