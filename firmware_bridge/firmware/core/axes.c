#include "axes.h"

#include "../port.h"
#include "axis.h"
#include "faults.h"
#include "state.h"
#include "travels.h"

#define HOMING_PERMILLE 250u
#define GRACE_MS 50u /* a homing axis waits this long for its switch at the end of its way */
#define EXACT_UM 1
#define MOST_ROUNDS 3u /* segments of each axis that are planned at a time */
#define LONGEST_SECONDS 260u /* up to here the rounding of a time in `float` is 16 us at most */

static uint32_t micros_of(float seconds) {
    return (uint32_t)(seconds * 1e6f + 0.5f);
}

/* Start of a motion */

/* If the gate refuses, the axis stays without a plan, and the stop that follows ends its motion. */
static void start_steps(uint8_t axis, bool up, uint32_t now) {
    struct axis *const moves = &axes[axis];
    const struct rail *const rail = axis_rail(axis);
    const int32_t beyond = moves->rest_um * NM_A_UM - moves->on_step * axis_step_nm(axis);
    const float phase = (float)beyond / (float)axis_step_nm(axis);
    moves->up = up;
    moves->began = now;
    steps_begin(&moves->steps, (float)NM_A_UM / (float)axis_step_nm(axis), up ? phase : -phase);
    const bool braking = (moves->state & BRAKING) != 0;
    if (!port_axis_begin(axis, rail->step_pin, rail->direction_pin, up, braking)) {
        return;
    }
    port_lock();
    moves->state |= PLANNED; /* from now on the reflex reacts to this axis's switch */
    port_unlock();
}

static void plan(uint8_t axis, struct profile *profile, uint32_t way_um, uint16_t permille) {
    const struct axis_record *const record = &axis_records[axis];
    const float speed = (float)record->speed_um_s * (float)permille / 1000.0f;
    profile_trapezoid(profile, (float)way_um, speed, (float)record->acceleration_um_s2);
}

static void start_motion(uint8_t axis, int32_t target_um, uint32_t way_um, uint16_t permille,
                         uint32_t now) {
    plan(axis, &axes[axis].profile, way_um, permille);
    axes[axis].target_um = target_um;
    start_steps(axis, target_um >= axes[axis].rest_um, now);
}

static uint32_t distance(int32_t one, int32_t other) {
    return one > other ? (uint32_t)one - (uint32_t)other : (uint32_t)other - (uint32_t)one;
}

static bool takes_too_long(uint8_t axis, uint32_t way_um, uint16_t permille) {
    struct profile profile;
    plan(axis, &profile, way_um, permille);
    return profile.seconds > (float)LONGEST_SECONDS;
}

bool axes_move_is_too_long(const struct target *targets, uint8_t count, uint16_t permille) {
    for (uint8_t at = 0; at < count; at++) {
        const uint8_t axis = targets[at].axis;
        if (takes_too_long(axis, distance(targets[at].um, axes[axis].rest_um), permille)) {
            return true;
        }
    }
    return false;
}

void axes_move(const struct target *targets, uint8_t count, uint16_t permille, uint8_t ticket) {
    const uint32_t now = port_micros();
    const uint8_t travel = travel_begin(targets[0].axis, ticket, false, now);
    for (uint8_t at = 0; at < count; at++) {
        travel_join(targets[at].axis, travel);
    }
    for (uint8_t at = 0; at < count; at++) {
        const uint8_t axis = targets[at].axis;
        start_motion(axis, targets[at].um, distance(targets[at].um, axes[axis].rest_um), permille,
                     now);
    }
}

/* End of a motion */

static void end_motion(uint8_t axis, uint32_t at) {
    port_lock();
    axes[axis].state &= (uint8_t) ~(PLANNED | BRAKING | WAITS | AT_SWITCH);
    port_unlock();
    travel_leave(axis, at);
}

static void end_at_home(uint8_t axis, uint32_t at) {
    port_axis_halt(axis);
    axis_set_position(axis, axis_home_um(axis));
    end_motion(axis, at);
    axes[axis].state |= HOMED;
}

/* Ends a motion without a ramp: the axis is at the last step that the port has made. */
static void end_without_ramp(uint8_t axis, uint32_t now) {
    struct axis *const stopped = &axes[axis];
    if (stopped->state & PLANNED) {
        port_axis_halt(axis);
        axis_count_steps(axis);
        stopped->rest_um = axis_um_of_step(axis, stopped->on_step);
    }
    end_motion(axis, now);
}

static void wait_for_switch(uint8_t axis, uint32_t now) {
    const uint8_t home = home_switch(axis_rail(axis));
    const uint16_t debounce = home == WIRE_NONE ? 0 : channels[home].sensor.debounce_ms;
    port_lock();
    axes[axis].state &= (uint8_t)~PLANNED;
    axes[axis].state |= WAITS;
    port_unlock();
    axes[axis].began = now + (debounce + GRACE_MS) * UINT32_C(1000);
}

static void arrive(uint8_t axis, uint32_t at) {
    struct axis *const moved = &axes[axis];
    const struct travel *const travel = &travels[moved->travel];
    const bool braked = (moved->state & BRAKING) != 0;
    axis_count_steps(axis);
    moved->rest_um = moved->target_um;
    if (travel->homing && !braked) {
        wait_for_switch(axis, at);
    } else {
        end_motion(axis, at);
    }
}

/* Replaces the rest of the plan by a ramp from the present position, and drops the segments that
 * were queued, so the axis begins to brake at once. */
static void brake(uint8_t axis, uint32_t now) {
    struct axis *const brakes = &axes[axis];
    port_axis_halt(axis);
    axis_count_steps(axis);
    brakes->rest_um = axis_planned_um(axis, now);
    profile_brake(&brakes->profile, seconds_since(brakes->began, now));
    brakes->target_um = axis_um_after(brakes, brakes->profile.distance);
    port_lock();
    brakes->state |= BRAKING;
    port_unlock();
    start_steps(axis, brakes->up, now);
}

/* Commands */

/* The position of an axis that is not homed is unknown: its way may be its whole length. */
static uint32_t way_home(uint8_t axis) {
    const struct axis_record *const record = &axis_records[axis];
    return axes[axis].state & HOMED ? distance(axis_home_um(axis), axes[axis].rest_um)
                                    : distance(record->high_um, record->low_um);
}

static bool is_at_home(uint8_t axis) {
    return sensor_is_active(home_switch(axis_rail(axis)));
}

bool axes_home_is_too_long(uint8_t axis) {
    return !is_at_home(axis) && takes_too_long(axis, way_home(axis), HOMING_PERMILLE);
}

/* An axis that is not homed counts as being at its far end. Otherwise it would run away from its
 * switch if its assumed position were at home, or beyond it after an earlier attempt. */
void axes_home(uint8_t axis, uint8_t ticket) {
    const uint32_t now = port_micros();
    const int32_t home = axis_home_um(axis);
    const uint32_t way = way_home(axis);
    travel_join(axis, travel_begin(axis, ticket, true, now));
    if (is_at_home(axis)) {
        end_at_home(axis, now);
        return;
    }
    if (!(axes[axis].state & HOMED)) {
        const struct axis_record *const record = &axis_records[axis];
        axis_set_position(axis, home == record->low_um ? record->high_um : record->low_um);
    }
    axes[axis].state &= (uint8_t)~HOMED;
    start_motion(axis, home, way, HOMING_PERMILLE, now);
}

void axes_stop(uint8_t axis, uint8_t reason, bool without_ramp) {
    const uint8_t travelling = axes[axis].travel;
    if (travelling == WIRE_NONE) {
        return;
    }
    const uint32_t now = port_micros();
    struct travel *const travel = &travels[travelling];
    if (travel->reason == REASON_DONE) {
        travel->reason = reason;
    }
    for (uint8_t each = 0; each < AXES; each++) {
        if (axes[each].travel != travelling) {
            continue;
        }
        if (without_ramp || !(axes[each].state & PLANNED)) {
            end_without_ramp(each, now);
        } else if (!(axes[each].state & BRAKING)) {
            brake(each, now);
        }
    }
}

void axes_release(uint8_t reason, bool without_ramp) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axes_stop(axis, reason, without_ramp);
    }
}

/* State */

bool axis_moves(uint8_t axis) {
    return axes[axis].travel != WIRE_NONE;
}

bool axes_move_now(void) {
    return axis_moves(0) || axis_moves(1) || axis_moves(2);
}

bool axis_is_homed(uint8_t axis) {
    return (axes[axis].state & HOMED) != 0;
}

/* Passing of time */

/* A motor that misses the time of a step can lose its position, and nothing here would notice. */
static void note_late_steps(void) {
    const uint8_t late = port_axes_take_late();
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (!(late & (uint8_t)(1u << axis))) {
            continue;
        }
        port_lock();
        axes[axis].state &= (uint8_t)~HOMED;
        faults_latch(FAULT_LATE_STEP, axis_records[axis].channel);
        port_unlock();
        if (axis_moves(axis) && travels[axes[axis].travel].reason == REASON_DONE) {
            travels[axes[axis].travel].reason = REASON_FAULT;
        }
    }
}

static void continue_motion(uint8_t axis, uint32_t now) {
    struct axis *const moves = &axes[axis];
    if (!moves->steps.complete && port_axis_room(axis)) {
        steps_plan(&moves->steps, axis, &moves->profile);
    }
    const uint32_t end = moves->began + micros_of(moves->profile.seconds);
    const bool made = moves->steps.complete &&
                      (port_axis_idle(axis) || port_axis_steps(axis) >= moves->steps.planned);
    if (made && time_reached(now, end)) {
        note_late_steps(); /* before the end is reported: it can have been the last step */
        arrive(axis, end);
    }
}

static void update_axis(uint8_t axis, uint32_t now) {
    const struct axis *const turned = &axes[axis];
    const uint8_t state = turned->state;
    if (state & AT_SWITCH) {
        end_at_home(axis, turned->met);
    } else if (state & PLANNED) {
        continue_motion(axis, now);
    } else if ((state & WAITS) && time_reached(now, turned->began)) {
        travels[turned->travel].reason = REASON_TIME;
        end_motion(axis, now);
    }
}

static bool needs_a_segment(uint8_t axis) {
    return (axes[axis].state & PLANNED) && !axes[axis].steps.complete && port_axis_room(axis);
}

/* Plans one segment of each axis in turn, so that no axis waits for the queue of another one. The
 * number is bounded: on a busy processor, segments end as fast as they are planned. */
void axes_turn(void) {
    bool again = true;
    note_late_steps();
    for (uint8_t round = 0; again && round < MOST_ROUNDS; round++) {
        again = false;
        for (uint8_t axis = 0; axis < AXES; axis++) {
            if (axes[axis].travel != WIRE_NONE) {
                update_axis(axis, port_micros());
                again = again || needs_a_segment(axis);
            }
        }
    }
}

/* Called from the reflex */

void axes_at_switch(uint8_t sensor, uint32_t now) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        struct axis *const moves = &axes[axis];
        if (!(moves->state & (PLANNED | WAITS)) || (moves->state & (BRAKING | AT_SWITCH)) ||
            home_switch(axis_rail(axis)) != sensor) {
            continue;
        }
        if (travels[moves->travel].homing) {
            port_axis_halt(axis);
            moves->met = now;
            moves->state |= AT_SWITCH;
        } else if (distance(moves->target_um, axis_home_um(axis)) > EXACT_UM) {
            faults_latch(FAULT_LIMIT_SWITCH, axis_records[axis].channel);
        }
    }
}

bool axes_guarded_move(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axis_moves(axis) && (channels[axis_records[axis].channel].flags & FLAG_GUARDED)) {
            return true;
        }
    }
    return false;
}
