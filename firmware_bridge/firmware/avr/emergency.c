/* The emergency input, pin 20, in hardware: INT1 makes every output safe and stops every axis.
 *
 * The handler does not report it to the core; the next tick does, so that the core never interrupts
 * itself. The gate is shut from here on, and the core cannot open it before the report. */
#include "emergency.h"

#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>

#define SAMPLES 32u /* 10 us */
#define PRESSED (PIND & (1u << PD1))

static inline void stop_all(void) {
    port_gate_halt();
    GPIOR0 |= 1u << EMERGENCY;
}

/* An input that becomes low within 10 us was not opened by a hand: it is noise. Other interrupts
 * wait meanwhile, since one of them could last longer than the filter. Five cycles a sample. */
static inline __attribute__((always_inline)) bool stop_if_pressed(void) {
    for (uint8_t samples = SAMPLES; samples > 0; samples--) {
        if (!PRESSED) {
            return false;
        }
    }
    stop_all();
    return true;
}

ISR(INT1_vect) {
    (void)stop_if_pressed();
}

/* The level, not the edge, decides: an input that stays open gives no further interrupt. */
bool emergency_is_open(void) {
    return (GPIOR0 & (1u << EMERGENCY)) || stop_if_pressed();
}

void emergency_start(void) {
    EICRA |= 1u << ISC11 | 1u << ISC10; /* rising: the contact has opened */
    EIFR = 1u << INTF1;
    (void)stop_if_pressed();
    EIMSK |= 1u << INT1;
}

void emergency_report(void) {
    reflex_emergency();
    GPIOR0 &= (uint8_t) ~(1u << EMERGENCY);
}
