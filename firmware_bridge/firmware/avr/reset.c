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

_Static_assert(sizeof kept + sizeof cause == 7, "early.S keeps seven bytes when it tests the RAM");

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

/* The watchdog, and the comparison of the clock with the watchdog's own oscillator.
 *
 * In turn, the watchdog guards the program, with 64 ms until it resets the board, and measures: it is
 * set to 16 ms and an interrupt, and until then it is not reset. The interrupt makes it guard again. A
 * program that hangs meanwhile is reset after 80 ms at most: if interrupts are disabled, by the second
 * time that passes without the interrupt, and otherwise after the 64 ms from the interrupt on.
 *
 * The oscillator has no calibration: its period can be 25 % off, so only a clock that is wrong by a
 * third and more is found: a crystal at another overtone, a wrong fuse, a timer that is set wrong. A
 * measurement begins after some turns of the main loop, not after a time: a clock that stands still
 * would never begin one. */
#define GUARDS (1u << WDE | 1u << WDP1)  /* 64 ms, nominal */
#define MEASURES (1u << WDE | 1u << WDIE) /* 16 ms, nominal */
#define LEAST_US 10000u
#define MOST_US 24000u

static volatile bool measures; /* until the interrupt comes */
static volatile bool clock_is_wrong;
static uint16_t measured_from; /* microseconds, modulo 65,536 */
static uint8_t turns;          /* since the last measurement */

/* The second write must come within four cycles after the first; interrupts are disabled. The time
 * begins anew. */
static inline __attribute__((always_inline)) void set_watchdog(uint8_t control) {
    __asm__ volatile("wdr\n\tsts %0, %1\n\tsts %0, %2\n\twdr"
                     :
                     : "n"(_SFR_MEM_ADDR(WDTCSR)), "r"((uint8_t)(1u << WDCE | 1u << WDE)),
                       "r"(control));
}

/* With interrupts enabled: the emergency stop must not wait for it. */
ISR(WDT_vect, ISR_NOBLOCK) {
    const uint16_t took = (uint16_t)((uint16_t)port_micros() - measured_from);
    cli();
    set_watchdog(GUARDS);
    sei();
    if (took < LEAST_US || took > MOST_US) {
        clock_is_wrong = true;
    }
    measures = false;
}

void watchdog_start(void) {
    set_watchdog(GUARDS);
    measures = clock_is_wrong = false;
}

static void begin_to_measure(void) {
    measures = true;
    measured_from = (uint16_t)port_micros();
    const uint8_t sreg = SREG;
    cli();
    set_watchdog(MEASURES);
    SREG = sreg;
}

bool reset_clock_is_wrong(void) {
    return clock_is_wrong;
}

/* Resets the watchdog only if the tick has run too: without the reflex the board must be reset.
 * A low supply is marked, so that after a reset it is known as the cause. */
void port_watchdog_kick(void) {
    const uint8_t state = port_supply_permille() < SUPPLY_LOW_PERMILLE ? SUPPLY_LOW : 0;
    if (kept.state != state) {
        keep(state);
    }
    if (!tick_has_run() || measures) {
        return;
    }
    turns++;
    if (turns == 0) {
        begin_to_measure();
    } else {
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
