/* Steps of up to three axes: timer 1, free running at half a microsecond, one compare unit an axis.
 *
 * Segments wait in a short queue. After the last step of a segment the tick takes the next one at
 * once, long before its time begins, so that its first step is as punctual as all others. If the
 * queue is then empty, the axis waits, and `port_axis_put` takes the next segment. */
#include "steps.h"

#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>

#define QUEUE 8u /* 33 ms: longer than a turn of the main loop while every input changes all the time */
#define START_AHEAD 128u /* ticks by which a late segment starts after it was put: 64 us */
#define SOON 40u         /* ticks from taking a segment to its first step, at least: 20 us */
#define LONG_AGO 8192u   /* microseconds: half of the period of a 16-bit count of ticks */

/* Read by pulses.S, one entry for each axis. */
struct sub_tick {
    uint8_t fraction; /* in 1/256 ticks */
    uint16_t ticks;
} __attribute__((packed));

volatile uint8_t *step_pin[AXES]; /* the register PIN */
uint8_t step_raise[AXES];         /* the pin's mask */
uint8_t step_lower[AXES];         /* its complement */
volatile uint8_t step_due[AXES];  /* not zero: the pin is high, the tick has not counted it yet */
volatile uint8_t step_left[AXES]; /* steps of the segment that are not made yet */
uint8_t step_fraction[AXES];      /* of the next step's time, whose ticks are in OCR1 */
struct sub_tick step_spacing[AXES];

struct axis {
    struct port_segment queue[QUEUE];
    volatile uint8_t put, taken;
    volatile bool live;
    volatile bool waiting;  /* no segment has a step left; `port_axis_put` takes the next one */
    uint16_t end;           /* of the segment that was taken last, in ticks */
    uint32_t waiting_since; /* microseconds */
    uint32_t ordered;       /* steps of all segments that were taken */
};
static struct axis axes[AXES];

void steps_start(void) {
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

/* Ticks until the last segment of a waiting axis ends; 0 if it has ended. */
static uint16_t ticks_left(const struct axis *this) {
    if (port_micros() - this->waiting_since > LONG_AGO) {
        return 0;
    }
    const int16_t left = (int16_t)(this->end - ticks_now());
    return left > 0 ? (uint16_t)left : 0;
}

/* Sets the compare unit for the first step, unless the axis has been stopped meanwhile. A step is no
 * sooner than `least` after the one before it, which was late if there is less time: an axis that
 * caught up would need a higher speed than its motor has. Therefore a segment that is late by more
 * than an eighth of a step is moved to a later time as a whole. */
static void arm(uint8_t axis, uint16_t ticks, uint16_t least) {
    const uint8_t sreg = SREG;
    cli();
    uint16_t late = TCNT1 + SOON - ticks;
    const uint16_t sooner = (&OCR1A)[axis] + least - ticks;
    if (least != 0 && (int16_t)sooner > 0 && (int16_t)(sooner - late) > 0) {
        late = sooner;
    }
    if ((int16_t)late > 0) {
        ticks += late;
        if (late > step_spacing[axis].ticks / 8u) {
            axes[axis].end += late;
        }
    }
    (&OCR1A)[axis] = ticks;
    TIFR1 = interrupt_of(axis); /* the flags have the same bits as the enables */
    if (axes[axis].live && (gate & GATE_STEPS)) {
        TIMSK1 |= interrupt_of(axis);
    }
    SREG = sreg;
}

static void make_steps(uint8_t axis, const struct port_segment *segment, uint16_t begin) {
    struct axis *const this = &axes[axis];
    const uint16_t before = step_spacing[axis].ticks;
    const uint16_t spacing = (uint16_t)(segment->spacing >> 8);
    const uint16_t smaller = before < spacing ? before : spacing;
    const uint16_t least = this->ordered == 0 ? 0 : smaller - smaller / 8u;
    step_spacing[axis].fraction = (uint8_t)segment->spacing;
    step_spacing[axis].ticks = spacing;
    step_fraction[axis] = 0;
    step_left[axis] = segment->steps;
    this->ordered += segment->steps;
    this->waiting = false;
    arm(axis, begin + segment->first, least);
}

/* Takes segments from the queue, up to the first with a step. Called by the tick after a segment's
 * last step, and by the main loop while the axis waits; the tick ignores a waiting axis. */
static void take(uint8_t axis) {
    struct axis *const this = &axes[axis];
    while (this->taken != this->put) {
        const struct port_segment *const segment = &this->queue[this->taken % QUEUE];
        const uint16_t begin = this->end;
        this->end = begin + SEGMENT_TICKS;
        if (segment->steps != 0) {
            make_steps(axis, segment, begin);
            this->taken++;
            return;
        }
        this->taken++;
    }
    this->waiting_since = port_micros();
    this->waiting = true;
}

static bool is_over(uint8_t axis) {
    return axes[axis].live && !axes[axis].waiting && step_left[axis] == 0;
}

/* Handles one axis in each tick, so that the next sample of the sensors is not late. */
void steps_follow(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_over(axis)) {
            take(axis);
            return;
        }
    }
    GPIOR0 &= (uint8_t) ~(1u << SEGMENT_OVER);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_over(axis)) { /* its last step was made after the check above */
            GPIOR0 |= 1u << SEGMENT_OVER;
        }
    }
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

/* Segments without steps are taken as they come, so a waiting axis accepts only one segment's time
 * in advance. A halted axis accepts none: otherwise the loop that fills its queue would not end. */
bool port_axis_room(uint8_t axis) {
    const struct axis *const this = &axes[axis];
    if (!this->live) {
        return false;
    }
    if (this->waiting) {
        return ticks_left(this) < SEGMENT_TICKS;
    }
    return (uint8_t)(this->put - this->taken) < QUEUE;
}

void port_axis_put(uint8_t axis, const struct port_segment *segment) {
    struct axis *const this = &axes[axis];
    if (!this->live || !port_axis_room(axis)) {
        return;
    }
    this->queue[this->put % QUEUE] = *segment;
    this->put++;
    if (!this->waiting) {
        return; /* the tick takes it, or has taken it */
    }
    if (ticks_left(this) == 0) {
        this->end = ticks_now() + START_AHEAD;
    }
    take(axis);
}

bool port_axis_idle(uint8_t axis) {
    const struct axis *const this = &axes[axis];
    return !this->live || (this->waiting && ticks_left(this) == 0);
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
    const uint32_t steps = axes[axis].ordered - step_left[axis];
    SREG = sreg;
    return steps;
}
