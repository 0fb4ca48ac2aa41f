/* The internal state of an axis: its position, and its motion in progress. */
#ifndef WALLWRIGHT_AXIS_H
#define WALLWRIGHT_AXIS_H

#include "../port.h"
#include "state.h"
#include "steps.h"
#include "trapezoid.h"

#include <stdbool.h>
#include <stdint.h>

#define NM_A_UM 1000

/* `axis.state` */
enum { HOMED = 1, PLANNED = 2, BRAKING = 4, WAITS = 8, AT_SWITCH = 16 };

struct axis {
    uint8_t channel; /* whose position this is; kept when the table changes */
    volatile uint8_t state;
    uint8_t travel;  /* the motion that it is part of, or WIRE_NONE */
    bool up;
    int32_t rest_um; /* its position at rest, or where its motion began */
    int32_t target_um;
    int32_t on_step; /* the step at its position at rest, or where its motion began */
    uint32_t began;  /* start of its motion; while WAITS is set: end of the wait */
    volatile uint32_t met; /* time at which it reached its switch */
    struct profile profile;
    struct steps steps;
};

extern struct axis axes[AXES];

/* Its pins and switches, its home switch and its home position */
const struct rail *axis_rail(uint8_t axis);
uint8_t axis_of_channel(uint8_t channel); /* its index in `axes` if the board has had it, or WIRE_NONE */
int32_t axis_home_um(uint8_t axis); /* the limit at which the home switch is */

/* Its position */
int32_t axis_step_nm(uint8_t axis);
int32_t axis_um_of_step(uint8_t axis, int32_t step);
int32_t axis_um_after(const struct axis *moves, float way); /* so far from its `rest_um` */
int32_t axis_planned_um(uint8_t axis, uint32_t now);
void axis_count_steps(uint8_t axis); /* adds the steps that the port has made to `on_step` */
void axis_set_position(uint8_t axis, int32_t um);
int32_t axis_position_um(uint8_t axis);

/* Tables */
void axes_begin(void);
void axes_connect(void); /* sets every axis of the table to rest at its position, not homed */
void axes_off(void);

static inline float seconds_since(uint32_t began, uint32_t now) {
    return (float)(now - began) * 1e-6f;
}

#endif
