/* WS2812 lamps: each takes 24 bits of 1.25 us, high for 0.375 us for a zero and for 0.8125 us for a
 * one. White is all ones, off is all zeros, so all bits of a lamp are equal. */
#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#define BITS 24u

/* 20 cycles a bit: high at 0, `middle` at 6, low at 13. */
static void shift(volatile uint8_t *port, uint8_t high, uint8_t middle, uint8_t low) {
    uint8_t bits = BITS;
    __asm__ volatile("1: st %a[port], %[high]\n"
                     "   rjmp .+0\n"
                     "   rjmp .+0\n"
                     "   st %a[port], %[middle]\n"
                     "   rjmp .+0\n"
                     "   rjmp .+0\n"
                     "   nop\n"
                     "   st %a[port], %[low]\n"
                     "   rjmp .+0\n"
                     "   dec %[bits]\n"
                     "   brne 1b\n"
                     : [bits] "+r"(bits)
                     : [port] "e"(port), [high] "r"(high), [middle] "r"(middle), [low] "r"(low)
                     : "memory");
}

void port_strip_lamp(uint8_t pin, bool lit, bool safe) {
    if (pin >= PINS) {
        return;
    }
    const struct place at = place_of(pin);
    const uint8_t sreg = SREG;
    cli();
    const bool shown = gate & GATE_OUTPUTS ? lit : safe;
    const uint8_t low = at.registers->port & (uint8_t)~at.mask;
    const uint8_t high = low | at.mask;
    shift(&at.registers->port, high, shown ? high : low, low);
    SREG = sreg;
}
