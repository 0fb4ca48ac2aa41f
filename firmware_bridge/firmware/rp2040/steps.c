/* Steps of up to three axes: one alarm of the timer for the next step of any axis, and one that
 * lowers the step pins.
 *
 * The alarm counts whole microseconds, so a step is early by up to half a microsecond, or late by the
 * time that the interrupt takes. Steps that are due in the same microsecond rise together. Segments
 * wait in a short queue; after the last step of a segment the interrupt takes the next one at once. */
#include "chip.h"

#include "../port.h"
#include "registers.h"

#define STEP_ALARM 0u
#define LOWER_ALARM 1u
#define QUEUE 32u        /* 33 ms: longer than the main loop waits while every input changes */
#define AHEAD 20480u     /* ticks: a waiting axis accepts segments that begin before */
#define START_AHEAD 128u /* ticks by which a late segment starts after it was put: 64 us */
#define SOON 10u         /* ticks from taking a segment to its first step, at least: 5 us */
#define LONG_AGO 100000u /* microseconds: longer than AHEAD and a segment */
#define PULSE_MICROS 5u
#define LATEST_TICKS (2u * PORT_LATEST_STEP_US)

struct axis {
    struct port_segment queue[QUEUE];
    uint8_t put, taken;
    volatile bool live;
    volatile bool waiting; /* no segment has a step left; `port_axis_put` takes the next one */
    uint8_t left;          /* steps of the segment that are not made yet */
    uint8_t fraction;      /* of `due`, in 1/256 ticks */
    uint32_t due;          /* of the next step, in ticks */
    uint32_t spacing;      /* 1/256 ticks */
    uint32_t pin;          /* its bit */
    uint32_t end;          /* of the segment that was taken last, in ticks */
    uint32_t waiting_since; /* microseconds */
    uint32_t steps;
};
static struct axis axes[AXES];
static uint32_t high; /* the step pins that are high */
static volatile uint32_t late_steps; /* one bit for each axis, see `port_axes_take_late` */

static uint32_t ticks_now(void) {
    return 2u * port_micros();
}

static bool has_steps(const struct axis *axis) {
    return axis->live && !axis->waiting && pins_may_step();
}

/* Takes segments from the queue, up to the first with a step. A segment that is late by more than
 * half a step is moved to a later time as a whole, because an axis that caught up would need a higher
 * speed than its motor has. */
static void take(struct axis *axis) {
    while (axis->taken != axis->put) {
        const struct port_segment *const segment = &axis->queue[axis->taken % QUEUE];
        const uint32_t begin = axis->end;
        axis->end = begin + SEGMENT_TICKS;
        axis->taken++;
        if (segment->steps == 0) {
            continue;
        }
        axis->left = segment->steps;
        axis->fraction = 0;
        axis->spacing = segment->spacing;
        axis->due = begin + segment->first;
        axis->waiting = false;
        const uint32_t late = ticks_now() + SOON - axis->due;
        if ((int32_t)late > 0) {
            axis->due += late;
            if (late > axis->spacing >> 9) {
                axis->end += late;
            }
            if (axis->steps != 0 && late > LATEST_TICKS && late > axis->spacing >> 8) {
                late_steps |= BIT(axis - axes);
            }
        }
        return;
    }
    axis->waiting_since = port_micros();
    axis->waiting = true;
}

static void step(struct axis *axis) {
    high |= axis->pin;
    axis->steps++;
    axis->left--;
    if (axis->left == 0) {
        take(axis);
        return;
    }
    const uint32_t after = axis->fraction + axis->spacing;
    axis->due += after >> 8;
    axis->fraction = (uint8_t)after;
}

/* The earliest step; false if no axis has one. */
static bool next_due(uint32_t *due) {
    bool any = false;
    for (uint8_t number = 0; number < AXES; number++) {
        const struct axis *const axis = &axes[number];
        if (has_steps(axis) && (!any || (int32_t)(axis->due - *due) < 0)) {
            *due = axis->due;
            any = true;
        }
    }
    return any;
}

static inline bool is_due(const struct axis *axis, uint32_t micros) {
    return has_steps(axis) && (int32_t)(2u * micros + 1u - axis->due) >= 0;
}

/* Makes every step that is due, then sets the alarm; again if the time of the alarm has passed
 * meanwhile, since it would come only after 71 minutes. Called with interrupts masked, or from the
 * interrupt, which has the highest priority. */
static void run_steps(void) {
    for (;;) {
        const uint32_t now = port_micros();
        uint32_t rising = 0;
        for (uint8_t number = 0; number < AXES; number++) {
            if (is_due(&axes[number], now)) {
                rising |= axes[number].pin;
            }
        }
        if (rising != 0) {
            REGISTER(SIO_OUT_SET) = rising;
            REGISTER(TIMER_ALARM(LOWER_ALARM)) = now + PULSE_MICROS;
            for (uint8_t number = 0; number < AXES; number++) {
                if (axes[number].pin & rising && is_due(&axes[number], now)) {
                    step(&axes[number]);
                }
            }
        }
        uint32_t due = 0;
        if (!next_due(&due)) {
            return;
        }
        /* Half of a wrapping count of ticks is not the count of microseconds, but its difference
         * from now is right. */
        const uint32_t wait = (due - 2u * now) >> 1;
        REGISTER(TIMER_ALARM(STEP_ALARM)) = now + wait;
        if ((int32_t)(now + wait - port_micros()) > 0) {
            return;
        }
    }
}

void steps_interrupt(void) {
    REGISTER(TIMER_INTR) = BIT(STEP_ALARM);
    run_steps();
}

/* A step that is made meanwhile sets the alarm again, for all pins. */
void steps_lower_interrupt(void) {
    REGISTER(TIMER_INTR) = BIT(LOWER_ALARM);
    REGISTER(SIO_OUT_CLEAR) = high;
    high = 0;
}

void steps_start(void) {
    REGISTER(TIMER_INTR) = BIT(STEP_ALARM) | BIT(LOWER_ALARM);
    register_set(TIMER_INTE, BIT(STEP_ALARM) | BIT(LOWER_ALARM));
}

bool port_axis_begin(uint8_t axis, uint8_t step_pin, uint8_t direction_pin, bool up,
                     bool braking) {
    port_axis_halt(axis);
    if (step_pin >= PINS) {
        return true;
    }
    const uint32_t before = mask();
    axes[axis] = (struct axis){.waiting = true,
                               .pin = BIT(step_pin),
                               .waiting_since = port_micros() - LONG_AGO - 1u};
    axes[axis].live = pins_set_direction(step_pin, direction_pin, up, braking);
    const bool passes = axes[axis].live;
    unmask(before);
    return passes;
}

static bool is_long_ago(const struct axis *axis) {
    return port_micros() - axis->waiting_since > LONG_AGO;
}

/* Ticks until the last segment of a waiting axis ends; 0 if it has ended. */
static uint32_t ticks_left(const struct axis *axis) {
    if (is_long_ago(axis)) {
        return 0;
    }
    const int32_t left = (int32_t)(axis->end - ticks_now());
    return left > 0 ? (uint32_t)left : 0;
}

/* The first segment begins now. Later ones come long before their time, or their steps are late. */
static void begin_anew(struct axis *axis) {
    axis->end = ticks_now() + START_AHEAD;
    if (axis->steps != 0) {
        late_steps |= BIT(axis - axes);
    }
}

/* Segments without steps are taken as they come, so a waiting axis accepts only a short time in
 * advance. A halted axis accepts none: otherwise the loop that fills its queue would not end. */
static bool has_room(const struct axis *axis) {
    if (!axis->live) {
        return false;
    }
    if (axis->waiting) {
        return ticks_left(axis) < AHEAD;
    }
    return (uint8_t)(axis->put - axis->taken) < QUEUE;
}

bool port_axis_room(uint8_t axis) {
    const uint32_t before = mask();
    const bool room = has_room(&axes[axis]);
    unmask(before);
    return room;
}

void port_axis_put(uint8_t axis, const struct port_segment *segment) {
    struct axis *const this = &axes[axis];
    const uint32_t before = mask();
    if (has_room(this)) {
        this->queue[this->put % QUEUE] = *segment;
        this->put++;
        if (this->waiting) {
            if (ticks_left(this) == 0 && (this->steps == 0 || is_long_ago(this))) {
                begin_anew(this);
            }
            take(this);
            run_steps();
        }
    }
    unmask(before);
}

bool port_axis_idle(uint8_t axis) {
    const uint32_t before = mask();
    const struct axis *const this = &axes[axis];
    const bool idle = !this->live || (this->waiting && ticks_left(this) == 0);
    unmask(before);
    return idle;
}

void port_axis_halt(uint8_t axis) {
    axes[axis].live = false;
}

uint32_t port_axis_steps(uint8_t axis) {
    return axes[axis].steps;
}

uint8_t port_axes_take_late(void) {
    const uint32_t before = mask();
    const uint32_t late = late_steps;
    late_steps = 0;
    unmask(before);
    return (uint8_t)late;
}
