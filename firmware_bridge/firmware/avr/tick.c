/* The tick's processing of sensor changes, and the lock that delays it. */
#include "tick.h"

#include "../port.h"
#include "emergency.h"
#include "pins.h"
#include "steps.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define TICK_CYCLES 320u
#define FARTHEST 16000 /* microseconds: half of the range of a 16-bit count of half microseconds */

/* For sampling.S: the time of the alarm, and of the last change of a sensor of each port, as counts
 * of timer 5. */
volatile uint16_t alarm_at;
volatile uint16_t changed_at[PORTS];
static volatile bool settles; /* `reflex_due` has found something to do */

/* The tick has not run since the last watchdog reset; sampling.S clears it. */
volatile bool tick_missing;

void tick_start(void) {
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

/* The comparison in sampling.S is of 16 bits, half a period ahead at most: a later time is compared
 * again from here, since `reflex_due` sets the alarm again. */
void port_alarm(uint32_t at) {
    const int32_t left = (int32_t)(at - port_micros());
    const uint16_t ticks = left <= 0 ? 0 : left < FARTHEST ? (uint16_t)(2 * left) : 2 * FARTHEST;
    const uint8_t sreg = SREG;
    cli();
    const uint16_t then = TCNT5 + ticks;
    if (!(GPIOR0 & (1u << ALARM)) || (int16_t)(alarm_at - then) > 0) {
        alarm_at = then;
    }
    GPIOR0 |= 1u << ALARM;
    SREG = sreg;
}

void port_lock(void) {
    GPIOR0 |= 1u << BUSY;
}

void port_unlock(void) {
    GPIOR0 &= (uint8_t) ~(1u << BUSY);
}

/* Called by sampling.S, with interrupts enabled, for the sensors of a port that have changed and
 * whose changes the core looks at (`port_cut`). */
void tick_cut(uint8_t port, uint8_t changed) {
    uint8_t levels = sensed_level[port];
    for (uint8_t bit = 0; changed != 0; bit++, changed >>= 1, levels >>= 1) {
        if (changed & 1u) {
            reflex_cut(pin_at(port, bit), levels & 1u);
        }
    }
}

/* The time of a change, which was less than half a period of the timer ago. */
static uint32_t time_of(uint16_t ticks) {
    const uint8_t sreg = SREG;
    cli();
    const uint16_t ago = TCNT5 - ticks;
    const uint32_t now = port_micros();
    SREG = sreg;
    return now - ago / 2u;
}

/* A pin counts as reported after `reflex_edge`, so that `port_cut_now` leaves its motors alone until
 * the core has considered the change. */
static void report_changes_of(uint8_t port) {
    uint8_t sreg = SREG;
    cli();
    uint8_t levels = sensed_level[port];
    const uint8_t changed = levels ^ reported_level[port];
    const uint16_t ticks = changed_at[port];
    SREG = sreg;
    if (changed == 0) {
        return;
    }
    const uint32_t at = time_of(ticks);
    uint8_t bits = changed;
    for (uint8_t bit = 0; bits != 0; bit++, bits >>= 1, levels >>= 1) {
        if (bits & 1u) {
            reflex_edge(pin_at(port, bit), levels & 1u, at);
        }
    }
    sreg = SREG;
    cli();
    reported_level[port] ^= changed;
    sensed_mask[port] |= changed;
    SREG = sreg;
}

/* Called by sampling.S, with interrupts enabled except the tick's own, when the alarm's time has
 * come. The core sets the alarm again if it is needed. */
void tick_alarm(void) {
    GPIOR0 &= (uint8_t) ~(1u << ALARM);
    if (reflex_due(port_micros())) {
        settles = true;
        GPIOR0 |= 1u << UNREPORTED;
    }
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
        if (settles) {
            settles = false;
            if (reflex_settle()) {
                settles = true;
                GPIOR0 |= 1u << UNREPORTED;
            }
        }
    }
    if (GPIOR0 & (1u << SEGMENT_OVER)) {
        steps_follow();
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
