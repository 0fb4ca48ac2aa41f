/* The tick's processing of sensor changes, and the lock that delays it. */
#include "tick.h"

#include "../port.h"
#include "emergency.h"
#include "pins.h"
#include "steps.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define TICK_CYCLES 320u

/* The tick has not run since the last watchdog reset; sampling.S clears it. */
volatile bool tick_missing;

void tick_start(void) {
    GPIOR0 |= 1u << TICK_WANTED;
    OCR3A = TICK_CYCLES - 1u;
    TCCR3A = 0;
    TCCR3B = 1u << WGM32 | 1u << CS30;
    TIMSK3 = 1u << OCIE3A;
}

bool tick_has_run(void) {
    const bool run = !tick_missing;
    tick_missing = true;
    return run;
}

void port_tick_wanted(bool wanted) {
    if (wanted) {
        GPIOR0 |= 1u << TICK_WANTED;
    } else {
        GPIOR0 &= (uint8_t) ~(1u << TICK_WANTED);
    }
}

void port_lock(void) {
    GPIOR0 |= 1u << BUSY;
}

void port_unlock(void) {
    GPIOR0 &= (uint8_t) ~(1u << BUSY);
}

/* One call for each of these bits; inlined, so that the call is a direct one. */
static inline __attribute__((always_inline)) void
each_pin(uint8_t port, uint8_t bits, uint8_t levels, void (*call)(uint8_t, bool)) {
    uint8_t bit = 0;
    if ((bits & 0x0Fu) == 0) {
        bit = 4;
        bits >>= 4;
        levels >>= 4;
    }
    for (; bits != 0; bit++, bits >>= 1, levels >>= 1) {
        if (bits & 1u) {
            call(pin_at(port, bit), levels & 1u);
        }
    }
}

/* Called by sampling.S, with interrupts enabled, for the sensors of a port that have changed and
 * whose changes the core looks at (`port_cut`). */
void tick_cut(uint8_t port, uint8_t changed) {
    each_pin(port, changed, sensed_level[port], reflex_cut);
}

static void report_changes_of(uint8_t port) {
    const uint8_t sreg = SREG;
    cli();
    const uint8_t levels = sensed_level[port];
    const uint8_t changed = levels ^ reported_level[port];
    reported_level[port] = levels;
    sensed_mask[port] |= changed;
    SREG = sreg;
    each_pin(port, changed, levels, reflex_edge);
}

static void run_core_tasks(void) {
    if (GPIOR0 & (1u << EMERGENCY)) {
        emergency_report();
    }
    if (GPIOR0 & (1u << UNREPORTED)) {
        GPIOR0 &= (uint8_t) ~(1u << UNREPORTED);
        for (uint8_t port = 0; port < PORTS; port++) {
            report_changes_of(port);
        }
    }
    if (GPIOR0 & (1u << SEGMENT_OVER)) {
        steps_follow();
    }
    if (GPIOR0 & (1u << TICK_WANTED)) {
        reflex_tick();
    }
}

/* Called by sampling.S, with interrupts enabled and BUSY not set. Ticks that interrupt the function
 * sample and cut, but report nothing to the core. */
void tick_run_core(void) {
    GPIOR0 |= 1u << BUSY;
    TIMSK3 = 1u << OCIE3A;
    run_core_tasks();
    TIMSK3 = 0;
    GPIOR0 &= (uint8_t) ~(1u << BUSY);
}
