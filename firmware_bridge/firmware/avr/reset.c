/* The cause of the last reset, the watchdog, and the jump to the bootloader. */
#include "reset.h"

#include "../core/wire.h"
#include "../port.h"
#include "pins.h"
#include "tick.h"
#include "uart0.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#define RESET_FLAGS GPIOR1 /* MCUSR as the firmware has found it, stored by early.S */
#define HANDED_OVER GPIOR2 /* r25 as the firmware has found it */

/* What the RAM keeps through a reset. The Mega's own bootloader clears MCUSR, and it changes only
 * the first 18 bytes of the RAM and the last 320. */
#define FIRST_MARK 0x5A17u
#define LAST_MARK 0xC3E8u
enum { SUPPLY_LOW = 1, ORDERED = 2 };
struct kept {
    uint16_t first;
    uint8_t state;
    uint8_t inverse; /* of all bits of `state` */
    uint16_t last;
};
static struct kept kept __attribute__((section(".noinit")));
static uint8_t cause __attribute__((section(".noinit")));

static void keep(uint8_t state) {
    kept = (struct kept){FIRST_MARK, state, state ^ 0xFFu, LAST_MARK};
}

static uint8_t cause_of_flags(uint8_t flags) {
    if (flags & (1u << WDRF)) {
        return RESET_CAUSE_WATCHDOG;
    }
    if (flags & (1u << PORF)) {
        return RESET_CAUSE_POWER;
    }
    return flags & (1u << BORF) ? RESET_CAUSE_BROWN_OUT : RESET_CAUSE_EXTERNAL;
}

/* With marks that are only partly whole, the RAM has lost some of its contents. */
static uint8_t cause_of_memory(void) {
    if (kept.first != FIRST_MARK && kept.last != LAST_MARK) {
        return RESET_CAUSE_POWER;
    }
    if (kept.first != FIRST_MARK || kept.last != LAST_MARK ||
        (kept.state ^ kept.inverse) != 0xFFu) {
        return RESET_CAUSE_UNKNOWN;
    }
    if (kept.state & ORDERED) {
        return RESET_CAUSE_BOOTLOADER;
    }
    return kept.state & SUPPLY_LOW ? RESET_CAUSE_BROWN_OUT : RESET_CAUSE_EXTERNAL;
}

/* Called by early.S. Without a bootloader MCUSR has the cause. The Mega's own bootloader clears it;
 * after a reset by the watchdog it starts the firmware at once, with the flags in r25 and the UART
 * still off. After any other reset it has used the UART, and the RAM distinguishes the causes. */
void reset_find_cause(void) {
    if (RESET_FLAGS != 0) {
        cause = cause_of_flags(RESET_FLAGS);
    } else if (UCSR0B != 0) {
        cause = cause_of_memory();
    } else {
        cause = HANDED_OVER & (1u << WDRF) ? RESET_CAUSE_WATCHDOG : RESET_CAUSE_UNKNOWN;
    }
    keep(0);
}

uint8_t port_reset_cause(void) {
    return cause;
}

void watchdog_start(void) {
    wdt_enable(WDTO_60MS);
}

/* Resets the watchdog only if the tick has run too: without the reflex the board must be reset.
 * A low supply is marked, so that after a reset it is known as the cause. */
void port_watchdog_kick(void) {
    const uint8_t state = port_supply_permille() < SUPPLY_LOW_PERMILLE ? SUPPLY_LOW : 0;
    if (kept.state != state) {
        keep(state);
    }
    if (tick_has_run()) {
        wdt_reset();
    }
}

/* The bootloader expects the registers as after a reset. */
void port_bootloader(void) {
    uart0_drain();
    cli();
    wdt_disable();
    keep(ORDERED);
    port_gate_halt();
    TIMSK1 = TIMSK3 = TIMSK5 = 0;
    TCCR1B = TCCR3B = TCCR5B = 0;
    EIMSK = 0;
    UCSR0B = 0;
    ADCSRA = 0;
    __asm__ volatile("jmp 0x3E000");
    __builtin_unreachable();
}
