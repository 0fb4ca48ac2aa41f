/* Microseconds since the start: timer 5, free running at half a microsecond. */
#include "clock.h"

#include "../port.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define OVERFLOW_MICROS 32768u

static volatile uint32_t overflowed; /* microseconds of all whole turns of the timer */

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
    const bool turned = (TIFR5 & (1u << TOV5)) != 0;
    SREG = sreg;
    if (turned && ticks < UINT16_MAX / 2) {
        micros += OVERFLOW_MICROS; /* the timer has turned, its interrupt has still to come */
    }
    return micros + ticks / 2;
}
