/* The virtual processor: its time, its main loop, the steps of its axes and its resets. */
#include "virtual_chip.h"

#include "../core/memory.h"
#include "../core/wire.h"
#include "../port.h"
#include "virtual_pins.h"

#include <assert.h>
#include <string.h>

#define QUEUE 2u /* segments after the one that runs, as on the AVR */
#define TURNS 100000u /* more turns without time passing are an endless loop */

struct axis {
    struct port_segment queue[QUEUE];
    uint8_t waiting;
    struct port_segment segment; /* the one that runs */
    bool live, running, up;
    uint64_t begin; /* of `segment`, in ticks */
    uint8_t made;   /* steps of `segment` */
    uint32_t steps;
    int32_t position;
};

uint64_t ticks;
bool in_reflex, locked;
static bool alarm_set, in_bootloader;
static uint32_t alarm_at;
static uint8_t cause, defects;
static struct axis axes[AXES];
static bool is_initialised;

/* The processor's functions of port.h */

uint32_t port_micros(void) {
    interruption();
    return (uint32_t)(ticks / 2u);
}

static uint8_t late_steps; /* see `hw_late_steps` */

void port_start(void) {
    late_steps = 0;
}

void port_alarm(uint32_t at) {
    if (!alarm_set || (int32_t)(alarm_at - at) > 0) {
        alarm_at = at;
    }
    alarm_set = true;
}

void port_lock(void) {
    interruption();
    assert(!locked && !in_reflex);
    locked = true;
}

void port_unlock(void) {
    assert(locked);
    interruption();
    locked = false;
    interruption();
}

uint8_t port_reset_cause(void) {
    return cause;
}

void port_watchdog_kick(void) {
}

/* The virtual processor has no program to test: `hw_damage` gives it its defects. */
void port_test(void) {
}

bool port_is_tested(void) {
    return true;
}

uint8_t port_defects(void) {
    return defects;
}

void hw_damage(uint8_t found) {
    defects |= found;
}

void port_bootloader(void) {
    in_bootloader = true;
}

/* Steps */

bool port_axis_begin(uint8_t axis, uint8_t step_pin, uint8_t direction_pin, bool up,
                     bool braking) {
    (void)step_pin;
    interruption();
    const bool passes = braking ? gate != HALTED : gate == OPEN;
    if (passes) {
        pins_write_direction(direction_pin, up);
    }
    axes[axis] = (struct axis){.live = passes, .up = up, .position = axes[axis].position};
    return passes;
}

bool port_axis_room(uint8_t axis) {
    return axes[axis].waiting < QUEUE;
}

void port_axis_put(uint8_t axis, const struct port_segment *segment) {
    struct axis *const this = &axes[axis];
    interruption();
    if (!this->running) {
        this->running = true;
        this->segment = *segment;
        this->begin = ticks;
        this->made = 0;
    } else if (port_axis_room(axis)) {
        this->queue[this->waiting++] = *segment;
    }
}

bool port_axis_idle(uint8_t axis) {
    return !axes[axis].live || !axes[axis].running;
}

void port_axis_halt(uint8_t axis) {
    axes[axis].live = false;
}

uint32_t port_axis_steps(uint8_t axis) {
    return axes[axis].steps;
}

uint8_t port_axes_take_late(void) {
    const uint8_t late = late_steps;
    late_steps = 0;
    return late;
}

void hw_late_steps(uint8_t axis) {
    late_steps = (uint8_t)(late_steps | 1u << axis);
}

int32_t hw_axis_steps(uint8_t axis) {
    return axis < AXES ? axes[axis].position : 0;
}

static void make_steps(struct axis *axis) {
    while (axis->made < axis->segment.steps) {
        const uint64_t after = ((uint64_t)axis->made * axis->segment.spacing) >> 8;
        if (ticks < axis->begin + axis->segment.first + after) {
            return;
        }
        axis->made++;
        axis->steps++;
        axis->position += axis->up ? 1 : -1;
    }
}

static void next_segment(struct axis *axis) {
    if (axis->waiting == 0) {
        axis->running = false;
        return;
    }
    axis->segment = axis->queue[0];
    axis->queue[0] = axis->queue[1];
    axis->waiting--;
    axis->begin += SEGMENT_TICKS;
    axis->made = 0;
}

/* By its rounding, the last step of a segment can be due a little after the segment's end. It is made
 * then, as on the chips, before the steps of the next segment. */
static void run_axis(struct axis *axis) {
    while (axis->live && axis->running && gate != HALTED) {
        make_steps(axis);
        if (axis->made < axis->segment.steps || ticks < axis->begin + SEGMENT_TICKS) {
            return;
        }
        next_segment(axis);
    }
}

/* Turns and time */

void turn(void) {
    uint32_t turns = 0;
    while (!in_bootloader && core_turn()) {
        assert(++turns < TURNS);
    }
    (void)turns;
}

static void run_reflex(void (*task)(void)) {
    assert(!locked);
    in_reflex = true;
    task();
    in_reflex = false;
}

static void ring_alarm(void) {
    alarm_set = false;
    if (reflex_due(port_micros())) {
        while (reflex_settle()) {
        }
    }
}

void run_alarm(void) {
    if (alarm_set && (int32_t)((uint32_t)(ticks / 2u) - alarm_at) >= 0) {
        run_reflex(ring_alarm);
    }
}

static void tick(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        run_axis(&axes[axis]);
    }
    run_alarm();
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

void hw_rest(uint64_t micros, uint32_t step) {
    const uint64_t until = ticks + 2u * micros;
    while (ticks < until) {
        ticks += 2u * (uint64_t)step;
        tick();
    }
}

uint64_t hw_micros(void) {
    return ticks / 2u;
}

/* Resets */

void hw_new(void) {
    storage_new();
    pins_new();
    is_initialised = true;
}

/* Resets everything but the EEPROM and the inputs' levels. */
static void clear_state(bool power) {
    pins_reset();
    memset(axes, 0, sizeof axes);
    lines_reset();
    press_reset();
    locked = in_reflex = alarm_set = in_bootloader = false;
    defects = 0;
    storage_reset(power);
}

void hw_reset(uint8_t reset_cause, uint64_t at) {
    if (!is_initialised) {
        hw_new();
    }
    ticks = 2u * at;
    clear_state(reset_cause == RESET_CAUSE_POWER);
    cause = reset_cause;
    if (reset_cause != RESET_CAUSE_POWER) {
        memory_save_after_reset();
    }
    core_begin();
    turn();
}

uint8_t hw_left_for_bootloader(void) {
    return in_bootloader;
}
