/* Pins by their GPIO numbers, and their safe levels. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define PAD_OF_OUTPUT (PAD_INPUT | PAD_DRIVE_4_MA | PAD_SCHMITT)
#define PAD_OF_SENSOR (PAD_INPUT | PAD_DRIVE_4_MA | PAD_SCHMITT | PAD_PULL_UP)
#define PAD_AFTER_RESET (PAD_INPUT | PAD_DRIVE_4_MA | PAD_SCHMITT | PAD_PULL_DOWN)

/* The value of SIO_OUT when every output is safe. No other bit is ever high, so one store makes all
 * pins safe. */
static volatile uint32_t safe_levels;

/* The step pins of axes that have moved. */
static volatile uint32_t stepping;

/* What may change: outputs, and steps of axes. */
#define GATE_OUTPUTS 1u
#define GATE_STEPS 2u
#define GATE_OPEN (GATE_OUTPUTS | GATE_STEPS)
static volatile uint8_t gate;

void pins_start(void) {
    REGISTER(SIO_OUT) = 0;
    REGISTER(SIO_DRIVE_CLEAR) = UINT32_MAX;
    safe_levels = stepping = 0;
    gate = 0;
    port_pin_sense(EMERGENCY_PIN);
    port_pin_sense(CURTAIN_PIN);
}

uint32_t pins_in(void) {
    return REGISTER(SIO_IN);
}

/* The level is set before the pin is driven, and the pin is released before its level changes. */
void port_pin_release(uint8_t pin) {
    if (pin >= PINS) {
        return;
    }
    edges_ignore(pin);
    analog_leave(pin); /* an earlier table may have used it as an analogue input */
    REGISTER(SIO_DRIVE_CLEAR) = BIT(pin);
    REGISTER(PAD(pin)) = PAD_AFTER_RESET;
    const uint32_t before = mask();
    safe_levels &= ~BIT(pin);
    stepping &= ~BIT(pin);
    REGISTER(SIO_OUT_CLEAR) = BIT(pin);
    unmask(before);
    REGISTER(IO_CTRL(pin)) = FUNCTION_NONE;
}

void port_pin_sense(uint8_t pin) {
    if (pin >= PINS) {
        return;
    }
    port_pin_release(pin);
    REGISTER(PAD(pin)) = PAD_OF_SENSOR;
    REGISTER(IO_CTRL(pin)) = FUNCTION_SIO;
    const uint32_t began = port_micros();
    while (port_micros() - began < 2u) { /* the pull-up takes a moment to raise the line */
    }
    edges_sense(pin);
}

void port_pin_drive(uint8_t pin, bool high) {
    if (pin >= PINS) {
        return;
    }
    edges_ignore(pin);
    analog_leave(pin);
    const uint32_t before = mask();
    stepping &= ~BIT(pin);
    if (high) {
        safe_levels |= BIT(pin);
        REGISTER(SIO_OUT_SET) = BIT(pin);
    } else {
        safe_levels &= ~BIT(pin);
        REGISTER(SIO_OUT_CLEAR) = BIT(pin);
    }
    unmask(before);
    REGISTER(PAD(pin)) = PAD_OF_OUTPUT;
    REGISTER(IO_CTRL(pin)) = FUNCTION_SIO;
    REGISTER(SIO_DRIVE_SET) = BIT(pin);
}

/* Interrupts are masked, because one in between could shut the gate, and the write would undo it. */
void port_pin_write(uint8_t pin, bool high) {
    if (pin >= PINS) {
        return;
    }
    const uint32_t before = mask();
    if (gate & GATE_OUTPUTS) {
        REGISTER(high ? SIO_OUT_SET : SIO_OUT_CLEAR) = BIT(pin);
    }
    unmask(before);
}

void port_pin_low(uint8_t pin) {
    if (pin < PINS) {
        REGISTER(SIO_OUT_CLEAR) = BIT(pin);
    }
}

bool port_pin_level(uint8_t pin) {
    return pin < PINS && (pins_in() & BIT(pin)) != 0;
}

bool pins_set_direction(uint8_t step, uint8_t direction, bool up, bool braking) {
    if (!(braking ? (gate & GATE_STEPS) != 0 : gate == GATE_OPEN)) {
        return false;
    }
    stepping |= BIT(step);
    if (direction < PINS) {
        safe_levels = up ? safe_levels | BIT(direction) : safe_levels & ~BIT(direction);
        REGISTER(up ? SIO_OUT_SET : SIO_OUT_CLEAR) = BIT(direction);
    }
    return true;
}

/* The gate */

bool pins_may_step(void) {
    return (gate & GATE_STEPS) != 0;
}

bool pins_may_change(void) {
    return (gate & GATE_OUTPUTS) != 0;
}

/* A step pulse that has begun is not shortened, since the motor could lose the step. */
void port_gate_shut(void) {
    const uint32_t before = mask();
    gate &= (uint8_t)~GATE_OUTPUTS;
    REGISTER(SIO_OUT) = safe_levels | (REGISTER(SIO_OUT) & stepping);
    unmask(before);
}

void port_gate_halt(void) {
    const uint32_t before = mask();
    gate = 0;
    REGISTER(SIO_OUT) = safe_levels;
    unmask(before);
}

bool port_gate_open(void) {
    const uint32_t before = mask();
    if (!edges_emergency()) {
        gate = GATE_OPEN;
    }
    unmask(before);
    return port_gate_is_open();
}

bool port_gate_is_open(void) {
    return gate == GATE_OPEN;
}

bool pins_all_safe(void) {
    return REGISTER(SIO_OUT) == safe_levels;
}
