/* Pins by their Arduino numbers, and the safe levels of all ports. */
#include "pins.h"

#include "adc.h"
#include "emergency.h"

#include "../port.h"

#include <avr/interrupt.h>
#include <avr/pgmspace.h>

#define AT(port, bit) {(uint8_t)_SFR_MEM_ADDR(PIN##port), 1u << (bit)}
#define NOWHERE 0xFF

volatile uint8_t sensed_mask[PORTS];
volatile uint8_t sensed_level[PORTS];
volatile uint8_t reported_level[PORTS];
volatile uint8_t urgent_pins[PORTS];
volatile struct cut cuts[PORTS * 8];
volatile uint8_t cut_armed[PORTS];
volatile uint8_t cut_high[PORTS];
volatile uint8_t cut_slow[PORTS];

/* The value of each PORT register when every output is safe: the safe levels of the outputs and the
 * pull-ups of the sensors. No other bit is ever high, so one store makes a port safe. */
static volatile uint8_t safe_levels[PORTS];

/* The step pins of axes that have moved. */
static volatile uint8_t stepping[PORTS];

volatile uint8_t gate;

/* The port and bit of each pin. */
#define PADS \
    AT(E, 0), AT(E, 1), AT(E, 4), AT(E, 5), AT(G, 5), /* 0 - 4 */ \
    AT(E, 3), AT(H, 3), AT(H, 4), AT(H, 5), AT(H, 6), /* 5 - 9 */ \
    AT(B, 4), AT(B, 5), AT(B, 6), AT(B, 7), AT(J, 1), /* 10 - 14 */ \
    AT(J, 0), AT(H, 1), AT(H, 0), AT(D, 3), AT(D, 2), /* 15 - 19 */ \
    AT(D, 1), AT(D, 0), AT(A, 0), AT(A, 1), AT(A, 2), /* 20 - 24 */ \
    AT(A, 3), AT(A, 4), AT(A, 5), AT(A, 6), AT(A, 7), /* 25 - 29 */ \
    AT(C, 7), AT(C, 6), AT(C, 5), AT(C, 4), AT(C, 3), /* 30 - 34 */ \
    AT(C, 2), AT(C, 1), AT(C, 0), AT(D, 7), AT(G, 2), /* 35 - 39 */ \
    AT(G, 1), AT(G, 0), AT(L, 7), AT(L, 6), AT(L, 5), /* 40 - 44 */ \
    AT(L, 4), AT(L, 3), AT(L, 2), AT(L, 1), AT(L, 0), /* 45 - 49 */ \
    AT(B, 3), AT(B, 2), AT(B, 1), AT(B, 0), AT(F, 0), /* 50 - 54 */ \
    AT(F, 1), AT(F, 2), AT(F, 3), AT(F, 4), AT(F, 5), /* 55 - 59 */ \
    AT(F, 6), AT(F, 7), AT(K, 0), AT(K, 1), AT(K, 2), /* 60 - 64 */ \
    AT(K, 3), AT(K, 4), AT(K, 5), AT(K, 6), AT(K, 7), /* 65 - 69 */

/* `address` is the lower byte of the address of PIN; the upper byte is 1 for H to L, else 0. */
static const struct {
    uint8_t address;
    uint8_t mask;
} place_by_pin[PINS] PROGMEM = {PADS};

const uint8_t pin_by_place[PORTS * 8] PROGMEM = {
    22,      23,      24,      25,      26,      27,      28,      29,      /* A */
    37,      36,      35,      34,      33,      32,      31,      30,      /* C */
    21,      20,      19,      18,      NOWHERE, NOWHERE, NOWHERE, 38,      /* D */
    53,      52,      51,      50,      10,      11,      12,      13,      /* B */
    54,      55,      56,      57,      58,      59,      60,      61,      /* F */
    41,      40,      39,      NOWHERE, NOWHERE, 4,       NOWHERE, NOWHERE, /* G */
    62,      63,      64,      65,      66,      67,      68,      69,      /* K */
    49,      48,      47,      46,      45,      44,      43,      42,      /* L */
    0,       1,       NOWHERE, 5,       2,       3,       NOWHERE, NOWHERE, /* E */
    17,      16,      NOWHERE, 6,       7,       8,       9,       NOWHERE, /* H */
    15,      14,      NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, /* J */
};

#define BY_CORE 0 /* as the address of an entry of `cuts`; no port has it */

#undef AT
#define AT(port, bit) (PORT_##port << 3 | (bit))
/* The index of each sensor in `cuts`. */
static const uint8_t entry_by_pin[PINS] PROGMEM = {PADS};
static const uint8_t mask_of_bit[8] PROGMEM = {1, 2, 4, 8, 16, 32, 64, 128};

static inline uint8_t entry_of(uint8_t pin) {
    return pgm_read_byte(&entry_by_pin[pin]);
}

static const uint16_t address_of_port[PORTS] PROGMEM = {
    _SFR_MEM_ADDR(PINA), _SFR_MEM_ADDR(PINC), _SFR_MEM_ADDR(PIND), _SFR_MEM_ADDR(PINB),
    _SFR_MEM_ADDR(PINF), _SFR_MEM_ADDR(PING), _SFR_MEM_ADDR(PINK), _SFR_MEM_ADDR(PINL),
    _SFR_MEM_ADDR(PINE), _SFR_MEM_ADDR(PINH), _SFR_MEM_ADDR(PINJ),
};

volatile struct port_registers *registers_of(uint8_t port) {
    return (volatile struct port_registers *)pgm_read_word(&address_of_port[port]);
}

/* Reads both bytes of an entry at once; the address comes first. */
static inline __attribute__((always_inline)) struct place find(uint8_t pin) {
    const uint16_t entry = pgm_read_word(&place_by_pin[pin]);
    const uint8_t address = (uint8_t)entry;
    const uint16_t page = address < _SFR_MEM_ADDR(PINA) ? 0x100 : 0;
    return (struct place){
        .registers = (volatile struct port_registers *)(page | address),
        .mask = (uint8_t)(entry >> 8),
    };
}

struct place place_of(uint8_t pin) {
    return find(pin);
}

static uint8_t port_of(struct place at) {
    uint8_t port = 0;
    while (registers_of(port) != at.registers) {
        port++;
    }
    return port;
}

static uint8_t with(uint8_t bits, uint8_t mask, bool high) {
    return high ? bits | mask : bits & (uint8_t)~mask;
}

static bool any_sensed_from(uint8_t port) {
    for (; port < PORTS; port++) {
        if ((sensed_mask[port] | (sensed_level[port] ^ reported_level[port])) != 0) {
            return true;
        }
    }
    return false;
}

static void update_sensed_flags(void) {
    if (any_sensed_from(FIRST_OF_ALL)) {
        GPIOR0 |= 1u << ALL_SENSED;
    } else {
        GPIOR0 &= (uint8_t) ~(1u << ALL_SENSED);
    }
    if (any_sensed_from(FIRST_OF_MORE)) {
        GPIOR0 |= 1u << MORE_SENSED;
    } else {
        GPIOR0 &= (uint8_t) ~(1u << MORE_SENSED);
    }
}

/* All properties of a pin change while interrupts are disabled, so no sample and no emergency sees
 * a partial change. */
static void configure(uint8_t pin, bool output, bool high, bool sensed) {
    if (pin >= PINS) {
        return;
    }
    const struct place at = place_of(pin);
    const uint8_t port = port_of(at);
    const uint8_t sreg = SREG;
    cli();
    if (!output) {
        at.registers->ddr &= (uint8_t)~at.mask;
    }
    stepping[port] &= (uint8_t)~at.mask;
    safe_levels[port] = with(safe_levels[port], at.mask, high);
    at.registers->port = with(at.registers->port, at.mask, high);
    if (output) {
        at.registers->ddr |= at.mask;
    }
    sensed_mask[port] = with(sensed_mask[port], at.mask, sensed);
    cut_armed[port] &= (uint8_t)~at.mask;
    cut_slow[port] &= (uint8_t)~at.mask;
    urgent_pins[port] &= (uint8_t)~at.mask;
    reported_level[port] = with(reported_level[port], at.mask, (sensed_level[port] & at.mask) != 0);
    SREG = sreg;
    update_sensed_flags();
}

/* Called after the pull-up is on: it takes a moment to raise the line. */
static void sample_first(uint8_t pin) {
    const struct place at = place_of(pin);
    const uint8_t port = port_of(at);
    const uint8_t sreg = SREG;
    cli();
    const bool high = (at.registers->pin & at.mask) != 0;
    sensed_level[port] = with(sensed_level[port], at.mask, high);
    reported_level[port] = with(reported_level[port], at.mask, high);
    SREG = sreg;
}

void port_pin_release(uint8_t pin) {
    configure(pin, false, false, false);
}

void port_pin_sense(uint8_t pin) {
    if (pin >= PINS) {
        return;
    }
    adc_leave(pin); /* an earlier table may have used it as an analogue input */
    configure(pin, false, true, false);
    sample_first(pin);
    configure(pin, false, true, true);
}

void port_pin_urgent(uint8_t pin) {
    if (pin < PINS) {
        const struct place at = place_of(pin);
        urgent_pins[port_of(at)] |= at.mask;
    }
}

void port_pin_drive(uint8_t pin, bool high) {
    configure(pin, true, high, false);
}

/* Reads and writes the port while interrupts are disabled: an interrupt in between could shut the
 * gate, and the write would undo it. */
void port_pin_write(uint8_t pin, bool high) {
    if (pin >= PINS) {
        return;
    }
    const struct place at = place_of(pin);
    const uint8_t sreg = SREG;
    cli();
    if (gate & GATE_OUTPUTS) {
        at.registers->port = with(at.registers->port, at.mask, high);
    }
    SREG = sreg;
}

void port_pin_low(uint8_t pin) {
    if (pin >= PINS) {
        return;
    }
    const struct place at = find(pin);
    const uint8_t sreg = SREG;
    cli();
    at.registers->port &= (uint8_t)~at.mask;
    SREG = sreg;
}

void port_cut(const struct port_cut *cut) {
    if (cut->sensor >= PINS) {
        return;
    }
    const struct place at = place_of(cut->sensor);
    const uint8_t port = port_of(at);
    volatile struct cut *const entry = &cuts[entry_of(cut->sensor)];
    struct place first = {0, 0};
    struct place second = {0, 0};
    if (cut->pins[0] < PINS) {
        first = second = place_of(cut->pins[0]);
    }
    if (cut->pins[1] < PINS) {
        second = place_of(cut->pins[1]);
    }
    const bool slow = cut->by_core || first.registers != second.registers;
    const uint8_t sreg = SREG;
    cli();
    entry->address = (uint8_t)(slow ? BY_CORE : (uintptr_t)&first.registers->port);
    entry->keep = (uint8_t)~(first.mask | second.mask);
    cut_high[port] = with(cut_high[port], at.mask, cut->high);
    cut_armed[port] = with(cut_armed[port], at.mask, !slow && !cut->later && first.mask != 0);
    cut_slow[port] = with(cut_slow[port], at.mask, slow && !cut->later);
    SREG = sreg;
}

enum port_cut_result port_cut_now(uint8_t sensor, bool high) {
    if (sensor >= PINS) {
        return CUT_DONE;
    }
    const uint8_t at = entry_of(sensor);
    const uint8_t port = at >> 3;
    const uint8_t mask = pgm_read_byte(&mask_of_bit[at & 7u]);
    if ((sensed_level[port] ^ reported_level[port]) & mask) {
        if (at != reported_entry) {
            return CUT_CHANGED;
        }
        cut_refused = true;
        return CUT_LATER;
    }
    const struct cut entry = {cuts[at].address, cuts[at].keep};
    if (entry.address == BY_CORE) {
        reflex_cut(sensor, high);
    } else if (entry.keep != 0xFF && ((cut_high[port] & mask) != 0) == high) {
        volatile uint8_t *const lowered =
            (volatile uint8_t *)(entry.address | (entry.address < _SFR_MEM_ADDR(PINA) ? 0x100 : 0));
        const uint8_t sreg = SREG;
        cli();
        *lowered &= entry.keep;
        SREG = sreg;
    }
    return CUT_DONE;
}

bool port_pin_level(uint8_t pin) {
    if (pin >= PINS) {
        return false;
    }
    const struct place at = place_of(pin);
    return (at.registers->pin & at.mask) != 0;
}

void pins_set_direction(uint8_t step, uint8_t direction, bool up) {
    const struct place at = place_of(step);
    stepping[port_of(at)] |= at.mask;
    if (direction < PINS) {
        const struct place way = place_of(direction);
        const uint8_t port = port_of(way);
        safe_levels[port] = with(safe_levels[port], way.mask, up);
        way.registers->port = with(way.registers->port, way.mask, up);
    }
}

/* The gate */

/* A step pulse that has begun is not shortened, since the motor could lose the step. */
#define MAKE_SAFE(port) \
    (PORT##port = safe_levels[PORT_##port] | (PORT##port & stepping[PORT_##port]))

void port_gate_shut(void) {
    const uint8_t sreg = SREG;
    cli();
    gate &= (uint8_t)~GATE_OUTPUTS;
    MAKE_SAFE(A);
    MAKE_SAFE(B);
    MAKE_SAFE(C);
    MAKE_SAFE(D);
    MAKE_SAFE(E);
    MAKE_SAFE(F);
    MAKE_SAFE(G);
    MAKE_SAFE(H);
    MAKE_SAFE(J);
    MAKE_SAFE(K);
    MAKE_SAFE(L);
    SREG = sreg;
}

/* 45 cycles: a load and a store for each port. */
void port_gate_halt(void) {
    const uint8_t sreg = SREG;
    cli();
    gate = 0;
    TIMSK1 = 0; /* the steps' compare units */
    PORTA = safe_levels[PORT_A];
    PORTB = safe_levels[PORT_B];
    PORTC = safe_levels[PORT_C];
    PORTD = safe_levels[PORT_D];
    PORTE = safe_levels[PORT_E];
    PORTF = safe_levels[PORT_F];
    PORTG = safe_levels[PORT_G];
    PORTH = safe_levels[PORT_H];
    PORTJ = safe_levels[PORT_J];
    PORTK = safe_levels[PORT_K];
    PORTL = safe_levels[PORT_L];
    SREG = sreg;
}

bool port_gate_open(void) {
    const uint8_t sreg = SREG;
    cli();
    if (!emergency_is_open()) {
        gate = GATE_OPEN;
    }
    SREG = sreg;
    return port_gate_is_open();
}

bool port_gate_is_open(void) {
    return gate == GATE_OPEN;
}

/* Sets every bit of every port: after a jump from a bootloader some pins are outputs still. First
 * the direction, so that a driven pin becomes an input before its level changes. */
void pins_release_all(void) {
    for (uint8_t port = 0; port < PORTS; port++) {
        volatile struct port_registers *const registers = registers_of(port);
        registers->ddr = 0;
        registers->port = 0;
    }
}

void pins_start(void) {
    pins_release_all();
    port_pin_sense(EMERGENCY_PIN);
    port_pin_sense(CURTAIN_PIN);
}
