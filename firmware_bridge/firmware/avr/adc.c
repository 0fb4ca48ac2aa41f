/* The analogue inputs and the supply, measured one after the other, 10 bits against the 5 V
 * supply.
 *
 * A conversion takes 104 us. A call that requests a value reads the completed conversion
 * and starts the next one. The main loop requests the supply every turn, so no interrupt is
 * needed. The start waits for the first measurement of the supply, 0.4 ms, because nothing may be
 * written to the EEPROM before it. */
#include "adc.h"

#include "../port.h"

#include <avr/io.h>

#define SUPPLY ANALOG_INPUTS  /* the index for the supply: the bandgap is measured */
#define BANDGAP 0x1Eu         /* its number in the multiplexer */
#define REFERENCE (1u << REFS0) /* AVCC */
#define CLOCK (1u << ADPS2 | 1u << ADPS1 | 1u << ADPS0) /* 125 kHz */
/* Permille of the supply for a reference of 1 mV and a reading of 1, in sixteenths. */
#define SIXTEENTHS 16u
#define SCALE (UINT32_C(1024) * SIXTEENTHS * SUPPLY_LOW_PERMILLE / SUPPLY_LOW_MV)
#define LEAST 100u            /* a reading below it is no supply voltage */

#define MOST_POLLS 20000u     /* for 0.4 ms; the watchdog may be off */

static uint16_t used;         /* one bit for each input */
static uint16_t mv[ANALOG_INPUTS];
static uint8_t measuring;
static uint8_t settling;      /* conversions to discard: the bandgap is weak and needs 70 us */
static uint16_t supply;       /* permille */
static uint16_t bandgap;      /* the reading from which `supply` was computed */

/* The voltage of the bandgap. The save after a reset has it from before, since the RAM is kept. */
static uint16_t reference = REFERENCE_MV;

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

static void compute_supply(void) {
    supply = (uint16_t)(reference * SCALE / (bandgap * SIXTEENTHS));
}

/* The division takes 40 us, so it is done only for a new reading. */
static void take_supply(uint16_t reading) {
    if (reading != bandgap && reading >= LEAST) {
        bandgap = reading;
        compute_supply();
    }
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
        take_supply(reading);
    } else {
        mv[measuring] = (uint16_t)((uint32_t)reading * ANALOG_FULL_MV >> 10);
    }
    start(next_after(measuring));
}

void adc_start(void) {
    ADCSRA = 1u << ADEN | CLOCK;
    bandgap = 0;
    supply = 0;
    start(SUPPLY);
    for (uint16_t polls = 0; bandgap == 0 && polls < MOST_POLLS; polls++) {
        take();
    }
}

void port_supply_start(void) {
    adc_start();
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

uint16_t port_supply_permille(void) {
    take();
    return supply;
}

bool port_supply_calibrate(uint16_t reference_mv) {
    if (reference_mv < REFERENCE_LEAST_MV || reference_mv > REFERENCE_MOST_MV) {
        return false;
    }
    reference = reference_mv;
    if (bandgap != 0) {
        compute_supply();
    }
    return true;
}
