/* The steps of one motion of one axis, planned ahead of the port that makes them, by segments.
 *
 * Within a segment the axis moves evenly, so a step is where the straight line between the
 * segment's two exact positions crosses the middle between two steps. At 8 kHz and the usual
 * accelerations the error is less than a microsecond. */
#ifndef WALLWRIGHT_STEPS_H
#define WALLWRIGHT_STEPS_H

#include "trapezoid.h"

#include <stdbool.h>
#include <stdint.h>

struct steps {
    float an_um;      /* steps a micrometre */
    float at;         /* the planned position: steps from the start, with their fraction */
    float phase;      /* the distance of the start from the step `on_step`, in steps */
    uint32_t planned; /* whole steps */
    uint32_t segment; /* the number of the next segment */
    bool complete;
};

void steps_begin(struct steps *steps, float steps_an_um, float phase);
/* Puts the next segment, if the port has room for it. */
void steps_plan(struct steps *steps, uint8_t axis, const struct profile *profile);

#endif
