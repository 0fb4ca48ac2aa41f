/* Stepper axes: trapezoidal motions that begin together, braking ramps, and homing.
 *
 * The main loop plans each axis a little ahead, in segments of 4.096 ms, and the port makes their
 * steps on time. The reflex only ends a homing when the axis reaches its switch. */
#ifndef WALLWRIGHT_AXES_H
#define WALLWRIGHT_AXES_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

struct target {
    uint8_t axis;
    int32_t um;
};

/* Whether a motion would take longer than an axis can count its time. */
bool axes_move_is_too_long(const struct target *targets, uint8_t count, uint16_t permille);
bool axes_home_is_too_long(uint8_t axis);
void axes_move(const struct target *targets, uint8_t count, uint16_t permille, uint8_t ticket);
void axes_home(uint8_t axis, uint8_t ticket);
void axes_stop(uint8_t axis, uint8_t reason, bool without_ramp); /* and those begun with it */
void axes_release(uint8_t reason, bool without_ramp);            /* stops every axis */
bool axis_moves(uint8_t axis);
bool axes_move_now(void);
bool axis_is_homed(uint8_t axis);
void axes_turn(void);

/* Called from the reflex: */
void axes_at_switch(uint8_t sensor, uint32_t now);
bool axes_guarded_move(void);

#endif
