/* The internal state of an axis: its position, and its motion in progress. */
#ifndef WALLWRIGHT_AXIS_H
#define WALLWRIGHT_AXIS_H

#include "../port.h"
#include "axes.h"
#include "steps.h"
#include "trapezoid.h"

#include <stdbool.h>
#include <stdint.h>

#define NM_A_UM 1000

/* `axis.state` */
enum { HOMED = 1, PLANNED = 2, BRAKING = 4, WAITS = 8, AT_SWITCH = 16 };

struct axis {
    uint8_t channel; /* whose position is known here; outlives tables */
    volatile uint8_t state;
    uint8_t travel;  /* or WIRE_NONE */
    bool up;
    int32_t rest_um; /* where it stands, or where its motion began */
    int32_t target_um;
    int32_t on_step; /* the step on which it stands, or stood when its motion began */
    uint32_t began;  /* its motion; while it WAITS: when the wait is over */
    volatile uint32_t met; /* when it met its switch */
    struct profile profile;
    struct steps steps;
};

extern struct axis axes[AXES];

/* Its rail, switch and home */
const struct rail *axis_rail(uint8_t axis);
uint8_t axis_switch(const struct rail *rail);
int32_t axis_home_um(uint8_t axis); /* the limit at which the home switch sits */

/* Where it is */
int32_t axis_step_nm(uint8_t axis);
int32_t axis_um_of_step(uint8_t axis, int32_t step);
int32_t axis_um_after(const struct axis *moves, float way); /* so far from its rest */
int32_t axis_planned_um(uint8_t axis, uint32_t now);
void axis_count_steps(uint8_t axis); /* it stands on the last of those that the port has made */
void axis_stands_at(uint8_t axis, int32_t um);

static inline float seconds_since(uint32_t began, uint32_t now) {
    return (float)(now - began) * 1e-6f;
}

#endif
