/* The cause of the last reset, the watchdog, and the jump to the bootloader. */
#include "reset.h"

#include "../port.h"
#include "tick.h"
#include "uart0.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

enum cause { POWER, EXTERNAL, BROWN_OUT, WATCHDOG, BOOTLOADER };

#define RESET_FLAGS GPIOR1 /* MCUSR as it was at the reset, stored by early.S */

/* After a jump from the bootloader no flag is set. */
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
    return RESET_FLAGS & (1u << EXTRF) ? EXTERNAL : BOOTLOADER;
}

void watchdog_start(void) {
    wdt_enable(WDTO_60MS);
}

/* Resets the watchdog only if the tick has run too: without the reflex the board must be reset. */
void port_watchdog_kick(void) {
    if (tick_has_run()) {
        wdt_reset();
    }
}

/* The bootloader expects the registers as after a reset. */
void port_bootloader(void) {
    uart0_drain();
    cli();
    wdt_disable();
    port_gate_halt();
    TIMSK1 = TIMSK3 = TIMSK5 = 0;
    TCCR1B = TCCR3B = TCCR5B = 0;
    EIMSK = 0;
    UCSR0B = 0;
    ADCSRA = 0;
    __asm__ volatile("jmp 0x3E000");
    __builtin_unreachable();
}
