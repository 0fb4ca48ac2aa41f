/* The first thing after a reset: remember why, and stop the watchdog, which after its own reset is
 * still on at its shortest time. Memory is cleared only afterwards, so GPIOR1 keeps it, and what
 * the memory knows is saved. */
#include <avr/io.h>

.section .init3, "ax", @progbits
    in r24, _SFR_IO_ADDR(MCUSR)
    out _SFR_IO_ADDR(GPIOR1), r24
    out _SFR_IO_ADDR(MCUSR), r1
    wdr
    ldi r24, (1 << WDCE) | (1 << WDE)
    sts WDTCSR, r24
    sts WDTCSR, r1
    call memory_rescue
