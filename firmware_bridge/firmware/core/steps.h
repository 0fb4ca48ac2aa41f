/* The steps of one motion of one axis, planned a segment ahead of the port that makes them.
 *
 * Within a segment the axis moves evenly, so a step is where the straight line between the
 * segment's two exact positions crosses the middle between two steps. At 8 kHz and our
 * accelerations that is less than a microsecond from the true curve. */
#ifndef WALLWRIGHT_STEPS_H
#define WALLWRIGHT_STEPS_H

#include "trapezoid.h"

#include <stdbool.h>
#include <stdint.h>

struct steps {
    float an_um;      /* steps a micrometre */
    float at;         /* where the plan has come to: steps from the start, with their fraction */
    float phase;      /* how far the start lies beyond the step on which the axis stands */
    uint32_t planned; /* whole steps */
    uint16_t segment; /* the next one's number */
    bool complete;
};

void steps_begin(struct steps *steps, float steps_an_um, float phase);
/* Puts the next segment if the port has room for it. */
void steps_plan(struct steps *steps, uint8_t axis, const struct profile *profile);

#endif
