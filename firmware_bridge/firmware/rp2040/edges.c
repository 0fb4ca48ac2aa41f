/* The edges of the sensors: the GPIO interrupt at both edges of every sensed pin.
 *
 * The interrupt compares the levels with those of the last time. It halts the gate when the emergency
 * input opens, does what `port_cut` has prepared for all changes with one store, and leaves the rest
 * to the reflex, whose interrupt has a lower priority. A pin that has changed is not compared again
 * until its change has been reported, so no edge is lost; a second edge is then found by IRQ_RESAMPLE.
 * A pulse that ends before the interrupt reads the levels (about a microsecond) is not an edge. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

static volatile uint32_t sensed;     /* the pins that are compared */
static volatile uint32_t level;      /* at the last comparison */
static volatile uint32_t unreported; /* changed since their last report */
static volatile bool emergency;

/* By the sensor's pin: the pins that its edge clears, and the level after which it does. One bit for
 * each sensor whose changes the core looks at. */
static volatile uint32_t cleared[PINS];
static volatile uint32_t cuts_at_high;
static volatile uint32_t cut_by_core;
static volatile uint32_t cut_later; /* only in `port_cut_now` */
static volatile uint32_t reporting;  /* changes that `reflex_edge` is processing */
static volatile uint32_t changed_at;

/* Interrupts are masked, or this is the interrupt of the edges. */
static void open_emergency(void) {
    emergency = true;
    port_gate_halt();
    reflex_raise();
}

/* The level, not the edges, decides: an edge while the pin is configured again is not seen. */
bool edges_emergency(void) {
    if (!emergency && (pins_in() & BIT(EMERGENCY_PIN)) != 0) {
        open_emergency();
    }
    return emergency;
}

static void set_interrupts(uint8_t pin, bool wanted) {
    const uint32_t edges = IO_BOTH_EDGES << 4u * (pin % 8u);
    REGISTER(IO_INTR(pin / 8u)) = edges;
    if (wanted) {
        register_set(IO_INTE(pin / 8u), edges);
    } else {
        register_clear(IO_INTE(pin / 8u), edges);
    }
}

void edges_ignore(uint8_t pin) {
    set_interrupts(pin, false);
    const uint32_t before = mask();
    sensed &= ~BIT(pin);
    unreported &= ~BIT(pin);
    cleared[pin] = 0;
    cut_by_core &= ~BIT(pin);
    unmask(before);
}

void edges_sense(uint8_t pin) {
    set_interrupts(pin, true);
    const uint32_t before = mask();
    const uint32_t now = pins_in() & BIT(pin);
    level = (level & ~BIT(pin)) | now;
    sensed |= BIT(pin);
    if (pin == EMERGENCY_PIN && now != 0) {
        open_emergency();
    }
    unmask(before);
}

void port_cut(const struct port_cut *cut) {
    const uint8_t pin = cut->sensor;
    if (pin >= PINS) {
        return;
    }
    const uint32_t bit = BIT(pin);
    uint32_t clears = 0;
    for (uint8_t at = 0; at < 2u; at++) {
        clears |= cut->pins[at] < PINS ? BIT(cut->pins[at]) : 0;
    }
    const uint32_t before = mask();
    cleared[pin] = cut->by_core ? 0 : clears;
    cuts_at_high = cut->high ? cuts_at_high | bit : cuts_at_high & ~bit;
    cut_by_core = cut->by_core ? cut_by_core | bit : cut_by_core & ~bit;
    cut_later = cut->later ? cut_later | bit : cut_later & ~bit;
    unmask(before);
}

enum port_cut_result port_cut_now(uint8_t sensor, bool high) {
    if (sensor >= PINS) {
        return CUT_DONE;
    }
    const uint32_t bit = BIT(sensor);
    if ((unreported | reporting) & bit) {
        return reporting & bit ? CUT_LATER : CUT_CHANGED;
    }
    if (cut_by_core & bit) {
        reflex_cut(sensor, high);
    } else if (((cuts_at_high & bit) != 0) == high) {
        REGISTER(SIO_OUT_CLEAR) = cleared[sensor];
    }
    return CUT_DONE;
}

/* The number of the lowest bit; the processor has no instruction for it. */
static inline uint8_t lowest(uint32_t bits) {
    uint8_t number = 0;
    if ((bits & 0xFFFFu) == 0) {
        number = 16;
        bits >>= 16;
    }
    if ((bits & 0xFFu) == 0) {
        number += 8;
        bits >>= 8;
    }
    while (!(bits & 1u)) {
        number++;
        bits >>= 1;
    }
    return number;
}

static inline void clear_edges(void) {
    for (uint32_t group = 0; group < IO_GROUPS; group++) {
        const uint32_t edges = REGISTER(IO_INTS(group));
        if (edges != 0) {
            REGISTER(IO_INTR(group)) = edges;
        }
    }
}

/* The levels are read after the edges were cleared: an edge that comes in between raises the
 * interrupt again. */
void edges_interrupt(void) {
    clear_edges();
    const uint32_t now = pins_in();
    const uint32_t changed = (now ^ level) & sensed & ~unreported;
    if (changed == 0) {
        return;
    }
    level ^= changed;
    changed_at = port_micros();
    unreported |= changed;
    if (changed & now & BIT(EMERGENCY_PIN)) {
        open_emergency();
    }
    uint32_t clears = 0;
    uint32_t to_core = changed & cut_by_core & ~cut_later;
    for (uint32_t cuts = changed & ~cut_by_core & ~cut_later & ~(now ^ cuts_at_high); cuts != 0;
         cuts &= cuts - 1u) {
        clears |= cleared[lowest(cuts)];
    }
    REGISTER(SIO_OUT_CLEAR) = clears;
    while (to_core != 0) {
        const uint8_t pin = lowest(to_core);
        to_core &= to_core - 1u;
        reflex_cut(pin, (now & BIT(pin)) != 0);
    }
    reflex_raise();
}

/* Called by the reflex's interrupt. */
void edges_report(void) {
    if (emergency) {
        reflex_emergency();
        emergency = false;
    }
    const uint32_t before = mask();
    uint32_t changed = unreported;
    const uint32_t now = level;
    const uint32_t at = changed_at;
    unreported = 0;
    reporting = changed;
    unmask(before);
    if (changed == 0) {
        return;
    }
    do {
        const uint8_t pin = lowest(changed);
        changed &= changed - 1u;
        reflex_edge(pin, (now & BIT(pin)) != 0, at);
    } while (changed != 0);
    reporting = 0;
    REGISTER(NVIC_RAISE) = BIT(IRQ_RESAMPLE);
}
