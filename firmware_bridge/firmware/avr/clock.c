/* Microseconds since the start: timer 5, free running at half a microsecond. */
#include "clock.h"

#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define OVERFLOW_MICROS 32768u

static volatile uint32_t overflowed; /* microseconds of all completed periods of the timer */

void clock_start(void) {
    TCCR5A = 0;
    TCCR5B = 1u << CS51;
    TIMSK5 = 1u << TOIE5;
}

ISR(TIMER5_OVF_vect) {
    overflowed += OVERFLOW_MICROS;
}

uint32_t port_micros(void) {
    const uint8_t sreg = SREG;
    cli();
    uint32_t micros = overflowed;
    const uint16_t ticks = TCNT5;
    const bool wrapped = (TIFR5 & (1u << TOV5)) != 0;
    SREG = sreg;
    if (wrapped && ticks < UINT16_MAX / 2) {
        micros += OVERFLOW_MICROS; /* the timer has wrapped, but its interrupt has not run yet */
    }
    return micros + ticks / 2;
}
