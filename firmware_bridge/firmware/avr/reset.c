/* The cause of the last reset, the watchdog, and the jump to the bootloader. */
#include "reset.h"

#include "../port.h"
#include "tick.h"
#include "uart0.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

enum cause { POWER, EXTERNAL, BROWN_OUT, WATCHDOG, ASKED_FOR };

#define RESET_FLAGS GPIOR1 /* MCUSR as it was at the reset, from early.S */

/* A bootloader comes here without any flag. */
uint8_t port_reset_cause(void) {
    if (RESET_FLAGS & (1u << WDRF)) {
        return WATCHDOG;
    }
    if (RESET_FLAGS & (1u << PORF)) {
        return POWER;
    }
    if (RESET_FLAGS & (1u << BORF)) {
        return BROWN_OUT;
    }
    return RESET_FLAGS & (1u << EXTRF) ? EXTERNAL : ASKED_FOR;
}

void watchdog_start(void) {
    wdt_enable(WDTO_60MS);
}

/* Only while the tick runs too: a main loop without its reflex is as dead as one that hangs. */
void port_watchdog_kick(void) {
    if (tick_has_run()) {
        wdt_reset();
    }
}

/* The bootloader expects the chip as after a reset. */
void port_bootloader(void) {
    uart0_drain();
    cli();
    wdt_disable();
    port_all_safe();
    TIMSK1 = TIMSK3 = TIMSK5 = 0;
    TCCR1B = TCCR3B = TCCR5B = 0;
    EIMSK = 0;
    UCSR0B = 0;
    ADCSRA = 0;
    __asm__ volatile("jmp 0x3E000");
    __builtin_unreachable();
}
