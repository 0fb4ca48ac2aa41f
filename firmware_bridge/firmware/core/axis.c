/* An axis's pins and switches, and its position. */
#include "axis.h"

#include <string.h>

struct axis axes[AXES];

/* Rails */

const struct rail *axis_rail(uint8_t axis) {
    return &channels[axis_records[axis].channel].rail;
}

uint8_t axis_of_channel(uint8_t channel) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axes[axis].channel == channel) {
            return axis;
        }
    }
    return WIRE_NONE;
}

int32_t axis_home_um(uint8_t axis) {
    const struct axis_record *const record = &axis_records[axis];
    return axis_rail(axis)->forward_stop != WIRE_NONE ? record->high_um : record->low_um;
}

/* Positions */

int32_t axis_step_nm(uint8_t axis) {
    return (int32_t)axis_records[axis].step_nm;
}

/* Nanometres fit into 32 bits: records.c refuses an axis that reaches farther than MOST_UM, or with
 * longer steps than MOST_STEP_NM, and an axis that is lost begins to home at its far end. */
static int32_t nearest_step(uint8_t axis, int32_t um) {
    const int32_t half = axis_step_nm(axis) / 2;
    const int32_t nm = um * NM_A_UM;
    return (nm >= 0 ? nm + half : nm - half) / axis_step_nm(axis);
}

int32_t axis_um_of_step(uint8_t axis, int32_t step) {
    return step * axis_step_nm(axis) / NM_A_UM;
}

int32_t axis_um_after(const struct axis *moves, float way) {
    const int32_t um = (int32_t)(way + 0.5f);
    return moves->rest_um + (moves->up ? um : -um);
}

int32_t axis_planned_um(uint8_t axis, uint32_t now) {
    const struct axis *const moves = &axes[axis];
    const float since = seconds_since(moves->began, now);
    return axis_um_after(moves, profile_distance(&moves->profile, since));
}

int32_t axis_position_um(uint8_t axis) {
    return axes[axis].state & PLANNED ? axis_planned_um(axis, port_micros()) : axes[axis].rest_um;
}

void axis_count_steps(uint8_t axis) {
    struct axis *const moved = &axes[axis];
    const int32_t made = (int32_t)port_axis_steps(axis);
    moved->on_step += moved->up ? made : -made;
}

void axis_set_position(uint8_t axis, int32_t um) {
    axes[axis].rest_um = um;
    axes[axis].on_step = nearest_step(axis, um);
}

/* Tables */

void axes_begin(void) {
    memset(axes, 0, sizeof axes);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axes[axis].travel = WIRE_NONE;
        axes[axis].channel = WIRE_NONE;
    }
}

static int32_t nearest_to_zero(const struct axis_record *record) {
    return record->low_um > 0 ? record->low_um : record->high_um < 0 ? record->high_um : 0;
}

void axes_connect(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        const struct axis_record *const record = &axis_records[axis];
        if (record->channel == WIRE_NONE) {
            continue;
        }
        if (axes[axis].channel != record->channel) {
            axes[axis].channel = record->channel;
            axes[axis].rest_um = nearest_to_zero(record);
        }
        axis_set_position(axis, axes[axis].rest_um);
        axes[axis].state = 0;
        port_pin_drive(axis_rail(axis)->step_pin, false);
        port_pin_drive(axis_rail(axis)->direction_pin, false);
    }
}

void axes_off(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axis_records[axis].channel != WIRE_NONE) {
            port_axis_halt(axis);
            port_pin_release(axis_rail(axis)->step_pin);
            port_pin_release(axis_rail(axis)->direction_pin);
            axes[axis].state = 0;
        }
    }
}
