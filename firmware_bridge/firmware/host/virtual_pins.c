/* The pins of the virtual processor: digital, analogue, and those with a strip of lamps; their
 * levels from the board and from outside. */
#include "virtual_pins.h"

#include "../port.h"
#include "virtual_chip.h"

#include <assert.h>
#include <string.h>

#define CHANGES 8192u

struct pin {
    bool driven, sensed, high, safe;
    bool outside; /* the level from outside */
};

enum gate gate;
static struct pin pins[PINS];
static struct port_cut cuts[PINS];
static uint16_t millivolts[PINS];
static uint32_t lamps[PINS];
static uint8_t lamps_sent[PINS];
static uint64_t lamps_at[PINS];
static struct hw_change changes[CHANGES];
static uint32_t change_count;
static uint32_t pin_changes; /* of all outputs so far */

/* The pins' functions of port.h */

static void note_change(uint8_t pin, int8_t before) {
    const int8_t level = hw_output(pin);
    pin_changes += level != before;
    if (level != before && change_count < CHANGES) {
        changes[change_count++] = (struct hw_change){hw_micros(), pin, level};
    }
}

static void configure(uint8_t pin, struct pin next) {
    if (pin < PINS) {
        const int8_t before = hw_output(pin);
        next.outside = pins[pin].outside;
        pins[pin] = next;
        cuts[pin] = (struct port_cut){pin, {NO_PIN, NO_PIN}, false, false, false};
        note_change(pin, before);
    }
}

void port_pin_release(uint8_t pin) {
    configure(pin, (struct pin){.driven = false});
}

void port_pin_sense(uint8_t pin) {
    configure(pin, (struct pin){.sensed = true});
}

void port_pin_urgent(uint8_t pin) {
    (void)pin;
}

void port_pin_drive(uint8_t pin, bool high) {
    configure(pin, (struct pin){.driven = true, .high = high, .safe = high});
}

static void write_level(uint8_t pin, bool high) {
    if (pin < PINS && pins[pin].driven) {
        const int8_t before = hw_output(pin);
        pins[pin].high = high;
        note_change(pin, before);
    }
}

void port_pin_write(uint8_t pin, bool high) {
    interruption();
    if (gate == OPEN) {
        write_level(pin, high);
    }
}

void port_pin_low(uint8_t pin) {
    interruption();
    write_level(pin, false);
}

void pins_write_direction(uint8_t pin, bool up) {
    write_level(pin, up);
    if (pin < PINS) {
        pins[pin].safe = up;
    }
}

void port_cut(const struct port_cut *cut) {
    if (cut->sensor < PINS) {
        cuts[cut->sensor] = *cut;
    }
}

/* Does at once what was prepared for this change of a sensor, and checks it: `reflex_cut`, which
 * looks at the orders as they are now, must find nothing left to do. */
static void do_cut(uint8_t pin, bool high) {
    const struct port_cut *const cut = &cuts[pin];
    if (!cut->by_core && cut->high == high) {
        port_pin_low(cut->pins[0]);
        port_pin_low(cut->pins[1]);
    }
    const uint32_t changed = pin_changes;
    reflex_cut(pin, high);
    assert(cut->by_core || pin_changes == changed);
    (void)changed;
}

enum port_cut_result port_cut_now(uint8_t sensor, bool high) {
    do_cut(sensor, high);
    return CUT_DONE;
}

bool port_pin_level(uint8_t pin) {
    return pin < PINS && (pins[pin].driven ? pins[pin].high : pins[pin].outside);
}

/* The gate */

static void make_safe(void) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        write_level(pin, pins[pin].safe);
    }
}

void port_gate_shut(void) {
    gate = gate == HALTED ? HALTED : SHUT;
    make_safe();
}

void port_gate_halt(void) {
    gate = HALTED;
    make_safe();
}

/* The level decides, as on the chips. */
bool port_gate_open(void) {
    if (pins[EMERGENCY_PIN].outside && pins[EMERGENCY_PIN].sensed) {
        port_gate_halt();
        note_emergency();
    } else if (!emergency_is_unreported()) {
        gate = OPEN;
    }
    return port_gate_is_open();
}

bool port_gate_is_open(void) {
    return gate == OPEN;
}

void port_analog_use(uint8_t pin) {
    (void)pin;
}

uint16_t port_analog_mv(uint8_t pin) {
    return pin < PINS ? millivolts[pin] : 0;
}

/* A strip takes all lamps at one time as one message; later lamps begin a new one. */
void port_strip_lamp(uint8_t pin, bool lit, bool safe) {
    interruption();
    if (pin >= PINS) {
        return;
    }
    if (lamps_at[pin] != ticks) {
        lamps_at[pin] = ticks;
        lamps[pin] = 0;
        lamps_sent[pin] = 0;
    }
    if (lamps_sent[pin] < 32u) {
        lamps[pin] |= (uint32_t)(gate == OPEN ? lit : safe) << lamps_sent[pin]++;
    }
}

/* Levels from outside */

void pins_set_outside(uint8_t pin, bool high) {
    pins[pin].outside = high;
    if (change_count < CHANGES) {
        changes[change_count++] = (struct hw_change){hw_micros(), pin, (int8_t)high};
    }
}

void pins_report_edge(uint8_t pin) {
    const bool high = pins[pin].outside;
    if (!pins[pin].sensed) {
        return;
    }
    if (!cuts[pin].later) {
        do_cut(pin, high);
    }
    reflex_edge(pin, high, port_micros());
}

void hw_pin(uint8_t pin, uint8_t level) {
    const bool high = level != 0;
    if (pin >= PINS || pins[pin].outside == high) {
        return;
    }
    pins[pin].outside = high;
    if (!pins[pin].sensed) {
        return;
    }
    in_reflex = true;
    if (pin == EMERGENCY_PIN && high) {
        port_gate_halt();
        reflex_emergency();
    }
    pins_report_edge(pin);
    in_reflex = false;
    turn();
}

int8_t hw_output(uint8_t pin) {
    return pin < PINS && pins[pin].driven ? (int8_t)pins[pin].high : (int8_t)-1;
}

uint32_t hw_changes(struct hw_change *into, uint32_t most) {
    const uint32_t count = change_count < most ? change_count : most;
    memcpy(into, changes, count * sizeof *into);
    change_count = 0;
    return count;
}

void hw_analog(uint8_t pin, uint16_t mv) {
    if (pin < PINS) {
        millivolts[pin] = mv;
    }
}

uint32_t hw_lamps(uint8_t pin) {
    return pin < PINS ? lamps[pin] : 0;
}

/* Resets */

void pins_reset(void) {
    gate = HALTED;
    for (uint8_t pin = 0; pin < PINS; pin++) {
        port_pin_release(pin);
        lamps_at[pin] = 0;
    }
}

void pins_new(void) {
    memset(millivolts, 0, sizeof millivolts);
    for (uint8_t pin = 0; pin < PINS; pin++) {
        pins[pin].outside = pin != EMERGENCY_PIN && pin != CURTAIN_PIN;
    }
}
