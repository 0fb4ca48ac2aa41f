/* Steps of up to three axes: timer 1, free running at half a microsecond, one compare unit an axis.
 *
 * Segments wait in a short queue. While the steps of one are made, the tick prepares the next one with
 * a step (`step_next`), and pulses.S goes on to it without a call of C, so its first step is as
 * punctual as all others even if the processor is busy with sensors. A prepared segment whose first
 * step is late, and one that was not prepared in time, are begun by C (`start`). If the queue is empty,
 * or its segments are too far ahead for a timer of 16 bits, the axis waits, and the main loop goes on
 * with it (`resume`). */
#include "steps.h"

#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>

#define QUEUE 8u /* 33 ms: several times the longest time between two calls of `axes_turn` */
#define START_AHEAD 128u /* ticks by which a late segment starts after it was put: 64 us */
#define SOON 40u         /* ticks from the start of a segment to its first step, at least: 20 us */
#define AHEAD 20480      /* ticks: a segment that begins later than this is not taken yet */
#define LONG_AGO 16000u  /* microseconds; `end` is less than that ahead, and a 16-bit count is still right */

/* Read by pulses.S, one entry for each axis. */
struct sub_tick {
    uint8_t fraction; /* in 1/256 ticks */
    uint16_t ticks;
} __attribute__((packed));

/* The next segment with a step, for pulses.S too. */
struct next {
    volatile uint8_t left; /* its steps; 0: none is prepared. Written last */
    struct sub_tick spacing;
    uint16_t at;    /* the time of its first step, in ticks */
    uint16_t least; /* the least time from the step before to its first step */
} __attribute__((packed));

volatile uint8_t *step_pin[AXES]; /* the register PIN */
uint8_t step_raise[AXES];         /* the pin's mask */
uint8_t step_lower[AXES];         /* its complement */
volatile uint8_t step_due[AXES];  /* not zero: the pin is high, the tick has not counted it yet */
volatile uint8_t step_left[AXES]; /* steps of the segment that are not made yet */
uint8_t step_fraction[AXES];      /* of the next step's time, whose ticks are in OCR1 */
struct sub_tick step_spacing[AXES];
struct next step_next[AXES];

struct axis {
    struct port_segment queue[QUEUE];
    volatile uint8_t put, taken;
    volatile bool live;
    volatile bool waiting;  /* no step is set or prepared; the main loop goes on with the queue */
    uint16_t end;           /* of the segment that was taken last, in ticks */
    uint32_t waiting_since; /* microseconds */
    uint32_t ordered;       /* steps of all segments that were taken */
};
static struct axis axes[AXES];

_Static_assert(LATEST_TICKS == 2u * PORT_LATEST_STEP_US, "a tick is half a microsecond");
_Static_assert(sizeof(struct next) == 8u, "pulses.S has this size");

void steps_start(void) {
    LATE_STEPS = 0;
    TCCR1A = 0;
    TCCR1B = 1u << CS11;
}

static inline uint8_t interrupt_of(uint8_t axis) {
    return (uint8_t)(1u << OCIE1A << axis);
}

static uint16_t ticks_now(void) {
    const uint8_t sreg = SREG;
    cli();
    const uint16_t now = TCNT1;
    SREG = sreg;
    return now;
}

static uint16_t time_ahead(const struct axis *this) {
    return (uint16_t)(this->end - ticks_now());
}

/* Ticks until the last segment of a waiting axis ends; 0 if it has ended. */
static uint16_t ticks_left(const struct axis *this) {
    if (port_micros() - this->waiting_since > LONG_AGO) {
        return 0;
    }
    const int16_t left = (int16_t)time_ahead(this);
    return left > 0 ? (uint16_t)left : 0;
}

/* A motor that misses the time of a step by more than this can lose its position. Below 3.3 kHz it is
 * the time of a step, by which a motor is slowed down to half of its speed. */
static bool is_too_late(uint16_t late, uint16_t spacing) {
    return late > LATEST_TICKS && late > spacing;
}

static void note_late(uint8_t axis) {
    LATE_STEPS = (uint8_t)(LATE_STEPS | 1u << axis);
}

/* Begins the prepared segment of an axis that makes no steps now. A step is no sooner than `least`
 * after the one before it, which was late if there is less time: an axis that caught up would need a
 * higher speed than its motor has. Therefore a segment that is late by more than an eighth of a step
 * is moved to a later time as a whole. */
static void start(uint8_t axis) {
    struct next *const next = &step_next[axis];
    const uint8_t sreg = SREG;
    cli();
    uint16_t ticks = next->at;
    uint16_t late = TCNT1 + SOON - ticks;
    const uint16_t sooner = (&OCR1A)[axis] + next->least - ticks;
    if (next->least != 0 && (int16_t)sooner > 0 && (int16_t)(sooner - late) > 0) {
        late = sooner;
    }
    if ((int16_t)late > 0) {
        ticks += late;
        if (late > next->spacing.ticks / 8u) {
            axes[axis].end += late;
        }
        if (next->least != 0 && is_too_late(late, next->spacing.ticks)) {
            note_late(axis);
        }
    }
    step_spacing[axis] = next->spacing;
    step_fraction[axis] = 0;
    step_left[axis] = next->left;
    next->left = 0;
    (&OCR1A)[axis] = ticks;
    TIFR1 = interrupt_of(axis); /* the flags have the same bits as the enables */
    if (axes[axis].live && (gate & GATE_STEPS)) {
        TIMSK1 |= interrupt_of(axis);
    }
    axes[axis].waiting = false;
    SREG = sreg;
}

static void prepare(uint8_t axis, const struct port_segment *segment, uint16_t begin) {
    struct next *const next = &step_next[axis];
    const uint16_t before = step_spacing[axis].ticks;
    const uint16_t spacing = (uint16_t)(segment->spacing >> 8);
    const uint16_t smaller = before < spacing ? before : spacing;
    const uint16_t least = smaller - smaller / 8u;
    next->spacing.fraction = (uint8_t)segment->spacing;
    next->spacing.ticks = spacing;
    next->at = begin + segment->first;
    next->least = axes[axis].ordered == 0 ? 0 : least != 0 ? least : 1u;
    const uint8_t sreg = SREG;
    cli();
    axes[axis].ordered += segment->steps;
    next->left = segment->steps;
    SREG = sreg;
}

static bool has_segment(const struct axis *this) {
    return this->taken != this->put && (int16_t)time_ahead(this) < AHEAD;
}

/* Takes segments from the queue, up to the first with a step. Called by the tick, and by the main loop
 * while the axis waits; the tick ignores a waiting axis. */
static void take(uint8_t axis) {
    struct axis *const this = &axes[axis];
    while (step_next[axis].left == 0 && has_segment(this)) {
        const struct port_segment *const segment = &this->queue[this->taken % QUEUE];
        const uint16_t begin = this->end;
        this->end = begin + SEGMENT_TICKS;
        if (segment->steps != 0) {
            prepare(axis, segment, begin);
        }
        this->taken++;
    }
}

static void go_on(uint8_t axis) {
    struct axis *const this = &axes[axis];
    take(axis);
    if (step_left[axis] != 0) {
        return;
    }
    if (step_next[axis].left != 0) {
        start(axis);
    } else {
        this->waiting_since = port_micros();
        this->waiting = true;
    }
}

/* The first segment begins now. Later ones come long before their time, or their steps are late. */
static void begin_anew(uint8_t axis) {
    axes[axis].end = ticks_now() + START_AHEAD;
    if (axes[axis].ordered != 0) {
        const uint8_t sreg = SREG;
        cli();
        note_late(axis);
        SREG = sreg;
    }
}

/* The main loop goes on with an axis that waits for a segment, or until one is near enough. */
static void resume(uint8_t axis) {
    const struct axis *const this = &axes[axis];
    if (!this->waiting || this->taken == this->put) {
        return;
    }
    if (port_micros() - this->waiting_since > LONG_AGO) {
        begin_anew(axis);
    }
    if (has_segment(this)) {
        go_on(axis);
    }
}

static bool is_due(uint8_t axis) {
    const struct axis *const this = &axes[axis];
    return this->live && !this->waiting &&
           (step_left[axis] == 0 || (step_next[axis].left == 0 && has_segment(this)));
}

/* Handles one axis in each tick, so that the next sample of the sensors is not late. */
void steps_follow(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_due(axis)) {
            go_on(axis);
            return;
        }
    }
    GPIOR0 &= (uint8_t) ~(1u << SEGMENT_OVER);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_due(axis)) { /* its last step was made after the check above */
            GPIOR0 |= 1u << SEGMENT_OVER;
        }
    }
}

/* An axis stays `live` after its last step, so its queue and its steps count, too. */
bool steps_are_wanted(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        const struct axis *const this = &axes[axis];
        if (this->live && !(this->waiting && this->taken == this->put && ticks_left(this) == 0)) {
            return true;
        }
    }
    return false;
}

bool port_axis_begin(uint8_t axis, uint8_t step, uint8_t direction, bool up, bool braking) {
    port_axis_halt(axis);
    if (step >= PINS) {
        return true;
    }
    const struct place at = place_of(step);
    step_pin[axis] = &at.registers->pin;
    step_raise[axis] = at.mask;
    step_lower[axis] = (uint8_t)~at.mask;
    step_left[axis] = 0;
    step_next[axis].left = 0;
    axes[axis] = (struct axis){.waiting = true, .waiting_since = port_micros() - LONG_AGO - 1u};
    const uint8_t sreg = SREG;
    cli();
    const bool passes = braking ? (gate & GATE_STEPS) != 0 : gate == GATE_OPEN;
    if (passes) {
        pins_set_direction(step, direction, up);
        axes[axis].live = true;
    }
    SREG = sreg;
    return passes;
}

/* A halted axis accepts no segments: otherwise the loop that fills its queue would not end. */
bool port_axis_room(uint8_t axis) {
    struct axis *const this = &axes[axis];
    if (!this->live) {
        return false;
    }
    resume(axis);
    return (uint8_t)(this->put - this->taken) < QUEUE;
}

void port_axis_put(uint8_t axis, const struct port_segment *segment) {
    struct axis *const this = &axes[axis];
    if (!port_axis_room(axis)) {
        return;
    }
    this->queue[this->put % QUEUE] = *segment;
    this->put++;
    if (this->waiting) {
        resume(axis);
    } else if (step_next[axis].left == 0) {
        GPIOR0 |= 1u << SEGMENT_OVER; /* the tick takes it */
    }
}

bool port_axis_idle(uint8_t axis) {
    const struct axis *const this = &axes[axis];
    if (this->live) {
        resume(axis);
    }
    return !this->live ||
           (this->waiting && this->taken == this->put && ticks_left(this) == 0);
}

void port_axis_halt(uint8_t axis) {
    const uint8_t sreg = SREG;
    cli();
    TIMSK1 &= (uint8_t)~interrupt_of(axis);
    axes[axis].live = false;
    SREG = sreg;
    while (step_due[axis] != 0) { /* the next tick counts it */
    }
}

uint32_t port_axis_steps(uint8_t axis) {
    const uint8_t sreg = SREG;
    cli();
    const uint32_t steps = axes[axis].ordered - step_left[axis] - step_next[axis].left;
    SREG = sreg;
    return steps;
}

uint8_t port_axes_take_late(void) {
    const uint8_t sreg = SREG;
    cli();
    const uint8_t late = LATE_STEPS;
    LATE_STEPS = 0;
    SREG = sreg;
    return late;
}
