/* WS2812 lamps: each takes 24 bits of 1.25 us, high for 0.4 us for a zero and for 0.8 us for a one.
 * White is all ones, off is all zeros, so all bits of a lamp are equal.
 *
 * Interrupts are masked only while the pin is high: a bit that is low for longer is still the same
 * bit, up to the lamps' 50 us. So an edge of a sensor waits for at most 0.8 us. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define BITS 24u
#define CYCLES_A_MICRO 125u
#define SHORT (CYCLES_A_MICRO * 2u / 5u)
#define LONG (CYCLES_A_MICRO * 4u / 5u)
#define LOW (CYCLES_A_MICRO * 9u / 20u)
#define LOOP 3u     /* cycles of one round of `wait` */
#define OVERHEAD 6u /* cycles of a store and of the loop's start and end */

static inline void wait(uint32_t cycles) {
    uint32_t rounds = (cycles - OVERHEAD) / LOOP;
    __asm__ volatile(".syntax unified\n1: subs %0, #1\n bne 1b" : "+l"(rounds)::"cc");
}

void port_strip_lamp(uint8_t pin, bool lit, bool safe) {
    if (pin >= PINS) {
        return;
    }
    const uint32_t bit = BIT(pin);
    for (uint32_t bits = 0; bits < BITS; bits++) {
        const uint32_t before = mask();
        const bool shown = pins_may_change() ? lit : safe;
        REGISTER(SIO_OUT_SET) = bit;
        wait(shown ? LONG : SHORT);
        REGISTER(SIO_OUT_CLEAR) = bit;
        unmask(before);
        wait(LOW);
    }
}
