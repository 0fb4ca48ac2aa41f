/* The analogue inputs and the supply, measured one after the other, 10 bits against the 5 V
 * supply.
 *
 * A conversion takes 104 us. A call that requests a value reads the completed conversion
 * and starts the next one. The main loop requests the supply every turn, so no interrupt is
 * needed. */
#include "adc.h"

#include "../port.h"

#include <avr/io.h>

#define SUPPLY ANALOG_INPUTS  /* the index for the supply: the bandgap is measured */
#define BANDGAP 0x1Eu         /* its number in the multiplexer, 1.1 V */
#define REFERENCE (1u << REFS0) /* AVCC */
#define CLOCK (1u << ADPS2 | 1u << ADPS1 | 1u << ADPS0) /* 125 kHz */
#define FAILING 250u          /* reading of the bandgap at a supply of 4.5 V: 1.1 * 1024 / 4.5 */

static uint16_t used;         /* one bit for each input */
static uint16_t mv[ANALOG_INPUTS];
static uint8_t measuring;
static uint8_t settling;      /* conversions to discard: the bandgap is weak and needs 70 us */
static bool failing;

static void start(uint8_t input) {
    measuring = input;
    settling = input == SUPPLY ? 1 : 0;
    const uint8_t channel = input == SUPPLY ? BANDGAP : input & 7u;
    ADMUX = REFERENCE | channel;
    ADCSRB = input < SUPPLY && input >= 8 ? 1u << MUX5 : 0;
    ADCSRA |= 1u << ADSC;
}

static uint8_t next_after(uint8_t input) {
    do {
        input = input == SUPPLY ? 0 : (uint8_t)(input + 1u);
    } while (input != SUPPLY && !(used >> input & 1u));
    return input;
}

static void take(void) {
    if (ADCSRA & (1u << ADSC)) {
        return;
    }
    if (settling > 0) {
        settling--;
        ADCSRA |= 1u << ADSC;
        return;
    }
    const uint16_t reading = ADC;
    if (measuring == SUPPLY) {
        failing = reading > FAILING;
    } else {
        mv[measuring] = (uint16_t)((uint32_t)reading * ANALOG_FULL_MV >> 10);
    }
    start(next_after(measuring));
}

void adc_start(void) {
    ADCSRA = 1u << ADEN | CLOCK;
    start(SUPPLY);
}

/* Switches the pin's digital input off, which saves current at levels between low and high. */
void port_analog_use(uint8_t pin) {
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    if (input >= ANALOG_INPUTS) {
        return;
    }
    used |= (uint16_t)(1u << input);
    if (input < 8) {
        DIDR0 = (uint8_t)(DIDR0 | 1u << input);
    } else {
        DIDR2 = (uint8_t)(DIDR2 | 1u << (input & 7u));
    }
}

void adc_leave(uint8_t pin) {
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    if (input >= ANALOG_INPUTS) {
        return;
    }
    used &= (uint16_t) ~(1u << input);
    if (input < 8) {
        DIDR0 = (uint8_t)(DIDR0 & ~(1u << input));
    } else {
        DIDR2 = (uint8_t)(DIDR2 & ~(1u << (input & 7u)));
    }
}

uint16_t port_analog_mv(uint8_t pin) {
    take();
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    return input < ANALOG_INPUTS ? mv[input] : 0;
}

bool port_supply_fails(void) {
    take();
    return failing;
}
