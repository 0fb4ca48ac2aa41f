/* The emergency input, pin 20, in hardware: INT1 makes every output safe and stops every axis.
 *
 * The handler does not report it to the core; the next tick does, so that the core never interrupts
 * itself. The gate is shut from here on, and the core cannot open it before the report. */
#include "emergency.h"

#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>

#define PRESSED (PIND & (1u << PD1))

static inline void stop_all(void) {
    port_gate_halt();
    GPIOR0 |= 1u << EMERGENCY;
}

ISR(INT1_vect) {
    if (PRESSED) { /* a spike that ends before this instruction was not caused by a hand */
        stop_all();
    }
}

void emergency_start(void) {
    EICRA |= 1u << ISC11 | 1u << ISC10; /* rising: the contact has opened */
    EIFR = 1u << INTF1;
    if (PRESSED) {
        stop_all();
    }
    EIMSK |= 1u << INT1;
}

void emergency_report(void) {
    reflex_emergency();
    GPIOR0 &= (uint8_t) ~(1u << EMERGENCY);
}
