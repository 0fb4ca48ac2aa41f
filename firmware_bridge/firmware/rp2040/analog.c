/* Analogue inputs 26 to 28 and the supply, measured one after the other, 12 bits against 3.3 V.
 *
 * A conversion takes 2 us. A call that requests a value reads the completed conversion and starts the
 * next one. On the Pico, input 3 (pin 29) is a third of the supply VSYS. On a Pico W this pin is the
 * clock of the wireless chip, and the divider is connected only while pin 25 selects that chip. The
 * start distinguishes the two: it pulls the pin down, which leaves 0.25 V or more on a Pico that runs
 * (VSYS is 1.8 V or more) and nothing on a Pico W, whose supply is then not measured. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define SUPPLY ANALOG_INPUTS /* the input behind those that a table can use */
#define INPUTS (ANALOG_INPUTS + 1u)
#define SUPPLY_DIVIDER 3u
#define PAD_OF_ANALOG PAD_OUTPUT_OFF /* no pull, no digital input */

#define LEAST_OF_DIVIDER_MV 150u
#define NOT_MEASURED UINT16_MAX

static uint16_t mv[INPUTS];
static bool has_divider;
static uint8_t used;
static uint8_t measuring;

static void start(uint8_t input) {
    measuring = input;
    REGISTER(ADC_CS) = ADC_ENABLE | ADC_START | ADC_INPUT(input);
}

static void take(void) {
    if (!(REGISTER(ADC_CS) & ADC_READY)) {
        return;
    }
    mv[measuring] = (uint16_t)(REGISTER(ADC_RESULT) * ANALOG_FULL_MV >> 12);
    uint8_t next = measuring;
    do {
        next = (uint8_t)((next + 1u) % INPUTS);
    } while (!(used >> next & 1u));
    start(next);
}

static void use(uint8_t input) {
    REGISTER(PAD(FIRST_ANALOG_PIN + input)) = PAD_OF_ANALOG;
    REGISTER(IO_CTRL(FIRST_ANALOG_PIN + input)) = FUNCTION_NONE;
    used = (uint8_t)(used | 1u << input);
}

static void wait(void) {
    while (!(REGISTER(ADC_CS) & ADC_READY)) {
    }
}

void analog_start(void) {
    mv[SUPPLY] = NOT_MEASURED; /* until the first conversion */
    REGISTER(ADC_CS) = ADC_ENABLE;
    wait();
    use(SUPPLY);
    REGISTER(PAD(FIRST_ANALOG_PIN + SUPPLY)) = PAD_OF_ANALOG | PAD_PULL_DOWN;
    /* The first conversion gives the pull time: 2 us for some 10 pF. */
    for (uint8_t conversions = 0; conversions < 2; conversions++) {
        start(SUPPLY);
        wait();
    }
    has_divider = (uint16_t)(REGISTER(ADC_RESULT) * ANALOG_FULL_MV >> 12) >= LEAST_OF_DIVIDER_MV;
    REGISTER(PAD(FIRST_ANALOG_PIN + SUPPLY)) = PAD_OF_ANALOG;
    start(SUPPLY);
}

void port_supply_start(void) {
    register_clear(RESETS_RESET, RESET_ADC);
    while (!(REGISTER(RESETS_DONE) & RESET_ADC)) {
    }
    analog_start();
    while (!(REGISTER(ADC_CS) & ADC_READY)) {
    }
    take();
}

void port_analog_use(uint8_t pin) {
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    if (input < ANALOG_INPUTS) {
        use(input);
    }
}

/* The pin's pad is set again by the caller. */
void analog_leave(uint8_t pin) {
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    if (input < ANALOG_INPUTS) {
        used = (uint8_t)(used & ~(1u << input));
    }
}

uint16_t port_analog_mv(uint8_t pin) {
    take();
    const uint8_t input = (uint8_t)(pin - FIRST_ANALOG_PIN);
    return input < ANALOG_INPUTS ? mv[input] : 0;
}

uint16_t port_supply_permille(void) {
    take();
    if (!has_divider) {
        return NOT_MEASURED;
    }
    const uint32_t permille = (uint32_t)mv[SUPPLY] * SUPPLY_DIVIDER * SUPPLY_LOW_PERMILLE / SUPPLY_LOW_MV;
    return permille < UINT16_MAX ? (uint16_t)permille : UINT16_MAX;
}

/* The firmware stores no reference on this chip. */
bool port_supply_calibrate(uint16_t reference_mv) {
    (void)reference_mv;
    return false;
}
