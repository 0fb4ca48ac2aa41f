#include "virtual_pins.h"

#include "../port.h"

#include <assert.h>
#include <string.h>

#define RING 4096u
#define CHANGES 8192u
#define QUEUE 2u /* segments beyond the one that runs, as on the AVR */
#define TURNS 100000u /* more at one time is a loop without end */
#define PORTS 3u

struct ring {
    uint8_t bytes[RING];
    uint32_t put, taken;
};

struct pin {
    bool driven, sensed, high, safe;
    bool outside; /* what is on it from outside */
};

struct axis {
    struct port_segment queue[QUEUE];
    uint8_t waiting;
    struct port_segment runs;
    bool live, awake, up;
    uint64_t begin; /* of the segment that runs, in ticks */
    uint8_t made;   /* of its steps */
    uint32_t steps;
    int32_t stands;
};

static uint64_t ticks; /* half microseconds */
static bool locked, in_reflex, tick_wanted, supply_fails, left;
static uint8_t cause;
static struct ring to_board, to_host, to_module[PORTS], from_module[PORTS];
static struct pin pins[PINS];
static struct axis axes[AXES];
static uint16_t millivolts[PINS];
static uint32_t lamps[PINS];
static uint8_t lamps_sent[PINS];
static uint64_t lamps_at[PINS];
static uint8_t eeprom[EEPROM_SIZE];
static struct hw_change changes[CHANGES];
static uint32_t change_count;
static bool is_made;

/* Rings */

static uint32_t ring_room(const struct ring *ring) {
    return RING - (ring->put - ring->taken);
}

static bool ring_put(struct ring *ring, uint8_t byte) {
    if (ring_room(ring) == 0) {
        return false;
    }
    ring->bytes[ring->put++ % RING] = byte;
    return true;
}

static int16_t ring_get(struct ring *ring) {
    return ring->put == ring->taken ? (int16_t)-1 : (int16_t)ring->bytes[ring->taken++ % RING];
}

static uint32_t ring_put_all(struct ring *ring, const uint8_t *bytes, uint32_t size) {
    uint32_t put = 0;
    while (put < size && ring_put(ring, bytes[put])) {
        put++;
    }
    return put;
}

static uint32_t ring_get_all(struct ring *ring, uint8_t *bytes, uint32_t most) {
    uint32_t got = 0;
    while (got < most && ring->put != ring->taken) {
        bytes[got++] = (uint8_t)ring_get(ring);
    }
    return got;
}

/* The processor, as port.h has it */

uint32_t port_micros(void) {
    return (uint32_t)(ticks / 2u);
}

void port_start(void) {
}

void port_tick_wanted(bool wanted) {
    tick_wanted = wanted;
}

void port_lock(void) {
    assert(!locked && !in_reflex);
    locked = true;
}

void port_unlock(void) {
    assert(locked);
    locked = false;
}

int16_t port_link_get(void) {
    return ring_get(&to_board);
}

uint8_t port_link_room(void) {
    const uint32_t room = ring_room(&to_host);
    return room < UINT8_MAX ? (uint8_t)room : UINT8_MAX;
}

void port_link_put(uint8_t byte) {
    const bool fits = ring_put(&to_host, byte);
    assert(fits);
    (void)fits;
}

void port_module_open(uint8_t port) {
    (void)port;
}

int16_t port_module_get(uint8_t port) {
    return port >= 1 && port <= PORTS ? ring_get(&from_module[port - 1u]) : (int16_t)-1;
}

void port_module_put(uint8_t port, uint8_t byte) {
    if (port >= 1 && port <= PORTS) {
        ring_put(&to_module[port - 1u], byte);
    }
}

static void note(uint8_t pin, int8_t before) {
    const int8_t level = hw_output(pin);
    if (level != before && change_count < CHANGES) {
        changes[change_count++] = (struct hw_change){hw_micros(), pin, level};
    }
}

static void become(uint8_t pin, struct pin next) {
    if (pin < PINS) {
        const int8_t before = hw_output(pin);
        next.outside = pins[pin].outside;
        pins[pin] = next;
        note(pin, before);
    }
}

void port_pin_release(uint8_t pin) {
    become(pin, (struct pin){.driven = false});
}

void port_pin_sense(uint8_t pin) {
    become(pin, (struct pin){.sensed = true});
}

void port_pin_drive(uint8_t pin, bool high) {
    become(pin, (struct pin){.driven = true, .high = high, .safe = high});
}

void port_pin_write(uint8_t pin, bool high) {
    if (pin < PINS && pins[pin].driven) {
        const int8_t before = hw_output(pin);
        pins[pin].high = high;
        note(pin, before);
    }
}

void port_pin_low(uint8_t pin) {
    port_pin_write(pin, false);
}

bool port_pin_level(uint8_t pin) {
    return pin < PINS && (pins[pin].driven ? pins[pin].high : pins[pin].outside);
}

void port_all_safe(void) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        port_pin_write(pin, pins[pin].safe);
    }
}

void port_analog_use(uint8_t pin) {
    (void)pin;
}

uint16_t port_analog_mv(uint8_t pin) {
    return pin < PINS ? millivolts[pin] : 0;
}

uint8_t port_eeprom_read(uint16_t at) {
    return eeprom[at % EEPROM_SIZE];
}

bool port_eeprom_ready(void) {
    return true;
}

void port_eeprom_write(uint16_t at, uint8_t byte) {
    eeprom[at % EEPROM_SIZE] = byte;
}

bool port_supply_fails(void) {
    return supply_fails;
}

/* A strip takes lamps as one message until the line has been quiet. */
void port_strip_lamp(uint8_t pin, bool lit) {
    if (pin >= PINS) {
        return;
    }
    if (lamps_at[pin] != ticks) {
        lamps_at[pin] = ticks;
        lamps[pin] = 0;
        lamps_sent[pin] = 0;
    }
    if (lamps_sent[pin] < 32u) {
        lamps[pin] |= (uint32_t)lit << lamps_sent[pin]++;
    }
}

uint8_t port_reset_cause(void) {
    return cause;
}

void port_watchdog_kick(void) {
}

void port_bootloader(void) {
    left = true;
}

/* Steps */

void port_axis_begin(uint8_t axis, uint8_t step_pin, uint8_t direction_pin, bool up) {
    (void)step_pin;
    port_pin_write(direction_pin, up);
    axes[axis] = (struct axis){.live = true, .up = up, .stands = axes[axis].stands};
}

bool port_axis_room(uint8_t axis) {
    return axes[axis].waiting < QUEUE;
}

void port_axis_put(uint8_t axis, const struct port_segment *segment) {
    struct axis *const this = &axes[axis];
    if (!this->awake) {
        this->awake = true;
        this->runs = *segment;
        this->begin = ticks;
        this->made = 0;
    } else if (port_axis_room(axis)) {
        this->queue[this->waiting++] = *segment;
    }
}

bool port_axis_idle(uint8_t axis) {
    return !axes[axis].live || !axes[axis].awake;
}

void port_axis_halt(uint8_t axis) {
    axes[axis].live = false;
}

uint32_t port_axis_steps(uint8_t axis) {
    return axes[axis].steps;
}

static void make_steps(struct axis *axis) {
    while (axis->made < axis->runs.steps) {
        const uint64_t after = ((uint64_t)axis->made * axis->runs.spacing) >> 8;
        if (ticks < axis->begin + axis->runs.first + after) {
            return;
        }
        axis->made++;
        axis->steps++;
        axis->stands += axis->up ? 1 : -1;
    }
}

static void next_segment(struct axis *axis) {
    if (axis->waiting == 0) {
        axis->awake = false;
        return;
    }
    axis->runs = axis->queue[0];
    axis->queue[0] = axis->queue[1];
    axis->waiting--;
    axis->begin += SEGMENT_TICKS;
    axis->made = 0;
}

static void run_axis(struct axis *axis) {
    while (axis->live && axis->awake) {
        make_steps(axis);
        if (ticks < axis->begin + SEGMENT_TICKS) {
            return;
        }
        next_segment(axis);
    }
}

/* Turns and time */

static void turn(void) {
    uint32_t turns = 0;
    while (!left && core_turn()) {
        assert(++turns < TURNS);
    }
    (void)turns;
}

static void reflex(void (*what)(void)) {
    assert(!locked);
    in_reflex = true;
    what();
    in_reflex = false;
}

static void tick(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        run_axis(&axes[axis]);
    }
    if (tick_wanted) {
        reflex(reflex_tick);
    }
    turn();
}

void hw_advance(uint32_t micros) {
    const uint64_t until = ticks + 2u * (uint64_t)micros;
    while (ticks < until) {
        const uint64_t step = until - ticks;
        ticks += step < 2u * HW_TICK_MICROS ? step : 2u * HW_TICK_MICROS;
        tick();
    }
}

uint64_t hw_micros(void) {
    return ticks / 2u;
}

void hw_new(void) {
    memset(eeprom, 0xFF, sizeof eeprom);
    memset(millivolts, 0, sizeof millivolts);
    for (uint8_t pin = 0; pin < PINS; pin++) {
        pins[pin].outside = pin != EMERGENCY_PIN && pin != CURTAIN_PIN;
    }
    is_made = true;
}

static void forget_all_but_copper(void) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        port_pin_release(pin);
        lamps_at[pin] = 0;
    }
    memset(axes, 0, sizeof axes);
    memset(&to_board, 0, sizeof to_board);
    memset(&to_host, 0, sizeof to_host);
    memset(to_module, 0, sizeof to_module);
    memset(from_module, 0, sizeof from_module);
    locked = in_reflex = tick_wanted = supply_fails = left = false;
}

void hw_reset(uint8_t reset_cause, uint64_t at) {
    if (!is_made) {
        hw_new();
    }
    ticks = 2u * at;
    forget_all_but_copper();
    cause = reset_cause;
    core_begin();
    turn();
}

#define TURNS_TO_SAVE 10000u

void hw_supply_falls(void) {
    supply_fails = true;
    for (uint32_t turns = 0; turns < TURNS_TO_SAVE; turns++) {
        core_turn();
    }
}

/* What is outside */

uint32_t hw_rx(const uint8_t *bytes, uint32_t size) {
    const uint32_t took = ring_put_all(&to_board, bytes, size);
    turn();
    return took;
}

uint32_t hw_tx(uint8_t *bytes, uint32_t most) {
    const uint32_t got = ring_get_all(&to_host, bytes, most);
    if (got > 0) {
        turn(); /* what waited for room goes on */
    }
    return got;
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
        port_all_safe();
        reflex_emergency();
    }
    reflex_cut(pin, high);
    reflex_edge(pin, high);
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

int32_t hw_axis_steps(uint8_t axis) {
    return axis < AXES ? axes[axis].stands : 0;
}

uint32_t hw_lamps(uint8_t pin) {
    return pin < PINS ? lamps[pin] : 0;
}

uint32_t hw_module_rx(uint8_t port, const uint8_t *bytes, uint32_t size) {
    if (port < 1 || port > PORTS) {
        return 0;
    }
    const uint32_t took = ring_put_all(&from_module[port - 1u], bytes, size);
    turn();
    return took;
}

uint32_t hw_module_tx(uint8_t port, uint8_t *bytes, uint32_t most) {
    return port >= 1 && port <= PORTS ? ring_get_all(&to_module[port - 1u], bytes, most) : 0;
}

uint8_t *hw_eeprom(void) {
    return eeprom;
}

uint8_t hw_left_for_bootloader(void) {
    return left;
}
