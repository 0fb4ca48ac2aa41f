/* Stepper axes: trapezoids begun together, ramps when stopped, homing.
 *
 * The main loop plans; each axis is planned a little ahead in segments of 4.096 ms, whose steps the
 * port makes on time. The reflex only ends a homing at its switch. */
#ifndef WALLWRIGHT_AXES_H
#define WALLWRIGHT_AXES_H

#include "channels.h"

#include <stdbool.h>
#include <stdint.h>

#define MOST_UM 2000000 /* how far an axis may reach from its zero */

struct target {
    uint8_t axis;
    int32_t um;
};

/* An axis's part of Configure. */
struct axis_record {
    uint8_t channel; /* or WIRE_NONE */
    int32_t low_um, high_um;
    uint32_t speed_um_s, acceleration_um_s2, step_nm;
};
extern struct axis_record axis_records[3];

void axes_begin(void);
void axes_connect(void); /* every axis of the table at rest where it is, and not homed */
void axes_off(void);
void axes_move(const struct target *targets, uint8_t count, uint16_t permille, uint8_t ticket);
void axes_home(uint8_t axis, uint8_t ticket);
void axes_stop(uint8_t axis, uint8_t reason, bool dead); /* and all that began with it */
void axes_release(uint8_t reason, bool dead);
void axes_forget_tickets(void);
bool axis_moves(uint8_t axis);
bool axes_move_now(void);
bool axis_is_homed(uint8_t axis);
int32_t axis_position_um(uint8_t axis);
void axes_turn(void);

/* From the reflex: */
void axes_at_switch(uint8_t sensor, uint32_t now);
bool axes_guarded_move(void);

#endif
