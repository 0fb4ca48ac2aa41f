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

/* For sampling.S: `tick_alarm` or `tick_follow` runs, and is not called by a tick that interrupts it. */
volatile bool alarm_runs, follow_runs;

/* The tick has not run since the last watchdog reset; sampling.S clears it. */
volatile bool tick_missing;

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

/* Inputs that change all the time must not take all the time of the main loop: axes would stand still
 * in the middle of a motion, and in the end the watchdog would reset the board. Therefore each turn of
 * the main loop permits A_TURN more reports of changes, and up to STORED are kept for times with many;
 * fewer while an axis moves, because many at once would keep the main loop from planning its steps.
 * With none at all, a sensor that changes more than A_TURN times in a long turn would lose counts.
 * Further changes wait for the next turn, each input in its turn. Only the report waits: what
 * `port_cut` has prepared is done at once. Safety inputs have reports of their own. */
#define A_TURN 4u
#define STORED 32u
#define STORED_MOVING 8u
#define URGENT_A_TURN 4u

volatile uint8_t reported_entry = NO_ENTRY;
volatile bool cut_refused;
static volatile uint8_t reports_left, urgent_left;
static bool deferred; /* until the next turn */
volatile uint8_t reported_now[PORTS]; /* for sampling.S: the pins whose changes do not wait */
static uint8_t next_port, reported_of_port; /* the next report, and what this round has reported */

bool tick_has_run(void) {
    const bool run = !tick_missing;
    const uint8_t most = steps_are_wanted() ? STORED_MOVING : STORED;
    const uint8_t sreg = SREG;
    cli();
    reports_left = (uint8_t)(reports_left < most - A_TURN ? reports_left + A_TURN : most);
    urgent_left = URGENT_A_TURN;
    SREG = sreg;
    if (deferred) {
        GPIOR0 |= 1u << UNREPORTED;
    }
    tick_missing = true;
    return run;
}

static void defer(bool until_next_turn) {
    deferred = until_next_turn;
    for (uint8_t port = 0; port < PORTS; port++) {
        reported_now[port] = deferred ? urgent_pins[port] : 0xFF;
    }
}

/* While the sensors' changes are read, a tick can add one: it is found now or at the next report. */
static inline uint8_t changes_of(uint8_t port) {
    return sensed_level[port] ^ reported_level[port];
}

/* A pin counts as reported after `reflex_edge`, so that `port_cut_now` leaves its motors alone until
 * the core has considered the change. Returns the pin's bit. */
static uint8_t report_change(uint8_t port, uint8_t bit) {
    const uint8_t mask = (uint8_t)(1u << bit);
    uint8_t sreg = SREG;
    cli();
    const bool high = (sensed_level[port] & mask) != 0;
    const uint16_t ticks = changed_at[port];
    SREG = sreg;
    cut_refused = false;
    reported_entry = (uint8_t)(port << 3 | bit);
    reflex_edge(pin_at(port, bit), high, time_of(ticks));
    sreg = SREG;
    cli();
    reported_level[port] ^= mask;
    sensed_mask[port] |= mask;
    SREG = sreg;
    reported_entry = NO_ENTRY;
    if (cut_refused) {
        port_alarm(port_micros()); /* its debounce time was over at once */
    }
    return mask;
}

static void report_urgent(void) {
    for (uint8_t port = 0; port < PORTS; port++) {
        const uint8_t urgent = urgent_pins[port];
        uint8_t bits = urgent != 0 ? changes_of(port) & urgent : 0;
        for (uint8_t bit = 0; bits != 0 && urgent_left != 0; bit++, bits >>= 1) {
            if (bits & 1u) {
                urgent_left--;
                report_change(port, bit);
            }
        }
    }
}

/* False if a change of the port has to wait. */
static bool report_changes_of(uint8_t port) {
    uint8_t bits = changes_of(port) & (uint8_t)~reported_of_port;
    for (uint8_t bit = 0; bits != 0; bit++, bits >>= 1) {
        if (!(bits & 1u)) {
            continue;
        }
        if (reports_left == 0) {
            return false;
        }
        reports_left--;
        reported_of_port |= report_change(port, bit);
    }
    return true;
}

/* Continues where the last round ended, so that each input has its turn. */
static void report_changes(void) {
    for (uint8_t visited = 0; visited <= PORTS; visited++) {
        if (!report_changes_of(next_port)) {
            defer(true);
            return;
        }
        reported_of_port = 0;
        next_port = next_port == PORTS - 1u ? 0 : (uint8_t)(next_port + 1u);
    }
}

/* Called by sampling.S when the alarm's time has come, with interrupts enabled. The core sets the
 * alarm again if it is needed. While an axis steps, ticks interrupt the function: they sample and
 * cut, and take the axes' next segments; they do not call it again, and report nothing to the core. */
void tick_alarm(void) {
    alarm_runs = true;
    const uint8_t locked = GPIOR0 & (1u << BUSY);
    GPIOR0 |= 1u << BUSY;
    GPIOR0 &= (uint8_t) ~(1u << ALARM);
    if (TIMSK1 != 0 || (GPIOR0 & (1u << SEGMENT_OVER))) {
        TIMSK3 = 1u << OCIE3A; /* an axis steps: the tick sets its next step, or its next segment */
    }
    if (reflex_due(port_micros())) {
        settles = true;
        GPIOR0 |= 1u << UNREPORTED;
    }
    TIMSK3 = 0;
    if (!locked) {
        GPIOR0 &= (uint8_t) ~(1u << BUSY);
    }
    alarm_runs = false;
}

static void report_and_settle(void) {
    GPIOR0 &= (uint8_t) ~(1u << UNREPORTED);
    if (deferred && reports_left != 0) {
        defer(false);
    }
    if (!deferred) {
        report_changes();
    }
    if (deferred) {
        report_urgent();
    }
    if (settles) {
        settles = false;
        if (reflex_settle()) {
            settles = true;
            GPIOR0 |= 1u << UNREPORTED;
        }
    }
}

static void run_core_tasks(void) {
    if (GPIOR0 & (1u << EMERGENCY)) {
        emergency_report();
    }
    if (GPIOR0 & (1u << UNREPORTED)) {
        report_and_settle();
    }
}

void tick_start(void) {
    defer(false);
    OCR3A = TICK_CYCLES - 1u;
    TCCR3A = 0;
    TCCR3B = 1u << WGM32 | 1u << CS30;
    TIMSK3 = 1u << OCIE3A;
}

/* Called by sampling.S when BUSY is set, with interrupts enabled. Ticks that interrupt the function
 * sample and cut; they do not call it again. */
void tick_follow(void) {
    follow_runs = true;
    TIMSK3 = 1u << OCIE3A;
    steps_follow();
    TIMSK3 = 0;
    follow_runs = false;
}

/* Called by sampling.S, with interrupts enabled and BUSY not set. Ticks that interrupt the function
 * sample and cut, and take the axes' next segments, but report nothing to the core. */
void tick_run_core(void) {
    GPIOR0 |= 1u << BUSY;
    if (GPIOR0 & (1u << SEGMENT_OVER)) {
        tick_follow();
    }
    TIMSK3 = 1u << OCIE3A;
    run_core_tasks();
    TIMSK3 = 0;
    GPIOR0 &= (uint8_t) ~(1u << BUSY);
}
