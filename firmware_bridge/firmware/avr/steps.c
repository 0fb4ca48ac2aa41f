/* Steps of up to three axes: timer 1, free running at half a microsecond, one compare unit an axis.
 *
 * Segments wait in a short queue. After the last step of one, the tick takes the next at once, long
 * before its time begins, so that its first step is as punctual as all others. If the queue is
 * empty then, the axis waits, and the next segment is taken as it is put. */
#include "steps.h"

#include "../port.h"
#include "pins.h"

#include <avr/interrupt.h>

#define QUEUE 2u
#define START_AHEAD 128u /* ticks from a late segment's coming to its begin: 64 us */
#define SOON 40u         /* ticks from taking a segment to its first step, at least: 20 us */
#define LONG_AGO 8192u   /* microseconds: half of what 16 bits of ticks can tell apart */

/* What pulses.S reads, an entry an axis. */
struct sub_tick {
    uint8_t fraction; /* 1/256 */
    uint16_t ticks;
} __attribute__((packed));

volatile uint8_t *step_pin[AXES]; /* the register PIN */
uint8_t step_raise[AXES];         /* the pin's mask */
uint8_t step_lower[AXES];         /* its complement */
volatile uint8_t step_due[AXES];  /* not zero: the pin is high, the tick has still to count it */
volatile uint8_t step_left[AXES]; /* steps of the segment that are not made yet */
uint8_t step_fraction[AXES];      /* of the next step's time, whose ticks are in OCR1 */
struct sub_tick step_spacing[AXES];

struct axis {
    struct port_segment queue[QUEUE];
    volatile uint8_t put, taken;
    volatile bool live;
    volatile bool waiting;  /* no segment has a step left: the next is taken by who puts it */
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

/* Lets the compare unit make the first step, unless the axis has been stopped meanwhile. A segment
 * that is late by more than half a step is made later as a whole: an axis that has to catch up
 * would be asked for more speed than its motor has. */
static void arm(uint8_t axis, uint16_t ticks) {
    const uint8_t sreg = SREG;
    cli();
    const uint16_t late = TCNT1 + SOON - ticks;
    if ((int16_t)late > 0) {
        ticks += late;
        if (late > step_spacing[axis].ticks / 2u) {
            axes[axis].end += late;
        }
    }
    (&OCR1A)[axis] = ticks;
    TIFR1 = interrupt_of(axis); /* the flags are at the places of the enables */
    if (axes[axis].live && !(GPIOR0 & (1u << EMERGENCY))) {
        TIMSK1 |= interrupt_of(axis);
    }
    SREG = sreg;
}

static void make_steps(uint8_t axis, const struct port_segment *segment, uint16_t begin) {
    struct axis *const this = &axes[axis];
    step_spacing[axis].fraction = (uint8_t)segment->spacing;
    step_spacing[axis].ticks = (uint16_t)(segment->spacing >> 8);
    step_fraction[axis] = 0;
    step_left[axis] = segment->steps;
    this->ordered += segment->steps;
    this->waiting = false;
    arm(axis, begin + segment->first);
}

/* Takes what is queued, up to the first segment with a step. By the tick after a segment's last
 * step; by the main loop while the axis waits, when the tick leaves it alone. */
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

/* One axis a tick, so that the next sample of the sensors is not late. */
void steps_follow(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_over(axis)) {
            take(axis);
            return;
        }
    }
    GPIOR0 &= (uint8_t) ~(1u << SEGMENT_OVER);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (is_over(axis)) { /* since it was looked at */
            GPIOR0 |= 1u << SEGMENT_OVER;
        }
    }
}

void port_axis_begin(uint8_t axis, uint8_t step, uint8_t direction, bool up) {
    port_axis_halt(axis);
    if (step >= PINS) {
        return;
    }
    port_pin_write(direction, up);
    const struct place at = place_of(step);
    step_pin[axis] = &at.registers->pin;
    step_raise[axis] = at.mask;
    step_lower[axis] = (uint8_t)~at.mask;
    step_left[axis] = 0;
    axes[axis] = (struct axis){.waiting = true, .waiting_since = port_micros() - LONG_AGO - 1u};
    axes[axis].live = true;
}

/* Segments without steps are taken as they come; they must not run ahead of time for ever. An axis
 * that a switch has halted takes none: whoever fills its queue would never have done. */
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
        return; /* the tick will take it, or has */
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
