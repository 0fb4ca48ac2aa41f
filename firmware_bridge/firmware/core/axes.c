#include "axes.h"

#include "../port.h"
#include "events.h"
#include "faults.h"
#include "steps.h"

#include <math.h>
#include <string.h>

#define HOMING_PERMILLE 250u
#define GRACE_MS 50u /* how long after its way's end a homing axis waits for its switch */
#define EXACT_UM 1
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

/* Axes that began together; it ends when all of them stand still. */
struct travel {
    uint8_t moving; /* a bit an axis */
    uint8_t ticket;
    uint8_t channel;
    uint8_t reason;
    bool voiced;
    bool homing;
    uint32_t began;
};

struct axis_record axis_records[AXES];
static struct axis axes[AXES];
static struct travel travels[AXES]; /* free while nothing moves in it */

static PORT_ONCE const struct rail *rail_of(uint8_t axis) {
    return &channels[axis_records[axis].channel].rail;
}

static uint8_t switch_of(const struct rail *rail) {
    return rail->reverse_stop < rail->forward_stop ? rail->reverse_stop : rail->forward_stop;
}

/* The limit at which the home switch sits. */
static int32_t home_um(uint8_t axis) {
    const struct axis_record *const record = &axis_records[axis];
    return rail_of(axis)->forward_stop != WIRE_NONE ? record->high_um : record->low_um;
}

static float seconds_since(uint32_t began, uint32_t now) {
    return (float)(now - began) * 1e-6f;
}

static uint32_t micros_of(float seconds) {
    return (uint32_t)(seconds * 1e6f + 0.5f);
}

/* Positions */

static PORT_ONCE int32_t step_nm(uint8_t axis) {
    return (int32_t)axis_records[axis].step_nm;
}

/* Nanometres fit into 32 bits: no axis reaches farther than MOST_UM (table.c sees to it). */
static int32_t nearest_step(uint8_t axis, int32_t um) {
    const int32_t half = step_nm(axis) / 2;
    const int32_t nm = um * NM_A_UM;
    return (nm >= 0 ? nm + half : nm - half) / step_nm(axis);
}

static int32_t um_of_step(uint8_t axis, int32_t step) {
    return step * step_nm(axis) / NM_A_UM;
}

/* So far from its rest, in whole micrometres. */
static PORT_ONCE int32_t um_after(const struct axis *moves, float way) {
    const int32_t um = (int32_t)(way + 0.5f);
    return moves->rest_um + (moves->up ? um : -um);
}

static int32_t planned_um(uint8_t axis, uint32_t now) {
    const struct axis *const moves = &axes[axis];
    return um_after(moves, profile_distance(&moves->profile, seconds_since(moves->began, now)));
}

int32_t axis_position_um(uint8_t axis) {
    return axes[axis].state & PLANNED ? planned_um(axis, port_micros()) : axes[axis].rest_um;
}

/* Reads from the port how many steps have been made, and stands on the last of them. */
static void count_steps(uint8_t axis) {
    struct axis *const moved = &axes[axis];
    const int32_t made = (int32_t)port_axis_steps(axis);
    moved->on_step += moved->up ? made : -made;
}

/* The begin of a motion */

static void set_off(uint8_t axis, bool up, uint32_t now) {
    struct axis *const moves = &axes[axis];
    const struct rail *const rail = rail_of(axis);
    const int32_t beyond = moves->rest_um * NM_A_UM - moves->on_step * step_nm(axis);
    const float phase = (float)beyond / (float)step_nm(axis);
    moves->up = up;
    moves->began = now;
    steps_begin(&moves->steps, (float)NM_A_UM / (float)step_nm(axis), up ? phase : -phase);
    port_axis_begin(axis, rail->step_pin, rail->direction_pin, up);
    port_lock();
    moves->state |= PLANNED; /* now its switch means something to the reflex */
    port_unlock();
}

static void run_to(uint8_t axis, int32_t target_um, uint32_t way_um, uint16_t permille,
                   uint32_t now) {
    const struct axis_record *const record = &axis_records[axis];
    const float speed = (float)record->speed_um_s * (float)permille / 1000.0f;
    profile_trapezoid(&axes[axis].profile, (float)way_um, speed,
                      (float)record->acceleration_um_s2);
    axes[axis].target_um = target_um;
    set_off(axis, target_um >= axes[axis].rest_um, now);
}

/* An axis that stands still has no travel, so one of them is free. */
static uint8_t free_travel(void) {
    uint8_t travel = 0;
    while (travel < AXES - 1u && travels[travel].moving != 0) {
        travel++;
    }
    return travel;
}

static uint8_t begin_travel(uint8_t first, uint8_t ticket, bool homing, uint32_t now) {
    const uint8_t travel = free_travel();
    travels[travel] = (struct travel){
        .ticket = ticket,
        .channel = axis_records[first].channel,
        .reason = REASON_DONE,
        .voiced = true,
        .homing = homing,
        .began = now,
    };
    port_lock();
    events_promise();
    port_unlock();
    return travel;
}

static PORT_ONCE void join(uint8_t axis, uint8_t travel) {
    travels[travel].moving = (uint8_t)(travels[travel].moving | 1u << axis);
    axes[axis].travel = travel;
}

static PORT_ONCE uint32_t distance(int32_t one, int32_t other) {
    return one > other ? (uint32_t)one - (uint32_t)other : (uint32_t)other - (uint32_t)one;
}

void axes_move(const struct target *targets, uint8_t count, uint16_t permille, uint8_t ticket) {
    const uint32_t now = port_micros();
    const uint8_t travel = begin_travel(targets[0].axis, ticket, false, now);
    for (uint8_t at = 0; at < count; at++) {
        join(targets[at].axis, travel);
    }
    for (uint8_t at = 0; at < count; at++) {
        const uint8_t axis = targets[at].axis;
        run_to(axis, targets[at].um, distance(targets[at].um, axes[axis].rest_um), permille, now);
    }
}

/* The end of a motion */

static void tell_end(const struct travel *travel, uint32_t at) {
    port_lock();
    events_keep_promise();
    uint8_t *const payload = travel->voiced ? events_add(WIRE_MOTION_ENDED) : 0;
    if (payload) {
        wire_motion_ended(payload, travel->ticket, travel->channel, travel->reason, 0,
                          at - travel->began);
    }
    port_unlock();
}

static void leave_travel(uint8_t axis, uint32_t at) {
    struct travel *const travel = &travels[axes[axis].travel];
    axes[axis].travel = WIRE_NONE;
    travel->moving &= (uint8_t) ~(1u << axis);
    if (travel->moving == 0) {
        tell_end(travel, at);
    }
}

static PORT_ONCE void rests(uint8_t axis, uint32_t at) {
    port_lock();
    axes[axis].state &= (uint8_t) ~(PLANNED | BRAKING | WAITS | AT_SWITCH);
    port_unlock();
    leave_travel(axis, at);
}

static void stands_at(uint8_t axis, int32_t um) {
    axes[axis].rest_um = um;
    axes[axis].on_step = nearest_step(axis, um);
}

static void rests_at_home(uint8_t axis, uint32_t at) {
    port_axis_halt(axis);
    stands_at(axis, home_um(axis));
    rests(axis, at);
    axes[axis].state |= HOMED;
}

/* Without power, or cut off: it is where its steps have brought it. */
static void rests_dead(uint8_t axis, uint32_t now) {
    struct axis *const dead = &axes[axis];
    if (dead->state & PLANNED) {
        port_axis_halt(axis);
        count_steps(axis);
        dead->rest_um = um_of_step(axis, dead->on_step);
    }
    rests(axis, now);
}

static void waits_for_switch(uint8_t axis, uint32_t now) {
    const uint8_t home = switch_of(rail_of(axis));
    const uint16_t debounce = home == WIRE_NONE ? 0 : channels[home].sensor.debounce_ms;
    port_lock();
    axes[axis].state &= (uint8_t)~PLANNED;
    axes[axis].state |= WAITS;
    port_unlock();
    axes[axis].began = now + (debounce + GRACE_MS) * UINT32_C(1000);
}

static void arrives(uint8_t axis, uint32_t at) {
    struct axis *const moved = &axes[axis];
    const struct travel *const travel = &travels[moved->travel];
    const bool braked = (moved->state & BRAKING) != 0;
    count_steps(axis);
    moved->rest_um = moved->target_um;
    if (travel->homing && !braked) {
        waits_for_switch(axis, at);
    } else {
        rests(axis, at);
    }
}

/* The ramp goes on from where the plan is now: no step comes late, whatever was planned ahead. */
static void brake(uint8_t axis, uint32_t now) {
    struct axis *const brakes = &axes[axis];
    port_axis_halt(axis);
    count_steps(axis);
    brakes->rest_um = planned_um(axis, now);
    profile_brake(&brakes->profile, seconds_since(brakes->began, now));
    brakes->target_um = um_after(brakes, brakes->profile.distance);
    port_lock();
    brakes->state |= BRAKING;
    port_unlock();
    set_off(axis, brakes->up, now);
}

/* Orders */

void axes_home(uint8_t axis, uint8_t ticket) {
    const uint32_t now = port_micros();
    const int32_t home = home_um(axis);
    const bool lost = !(axes[axis].state & HOMED);
    join(axis, begin_travel(axis, ticket, true, now));
    axes[axis].state &= (uint8_t)~HOMED;
    if (sensor_is_active(switch_of(rail_of(axis)))) {
        rests_at_home(axis, now);
        return;
    }
    /* An axis that does not know where it stands may have to go all the way. */
    const uint32_t way = lost ? distance(axis_records[axis].high_um, axis_records[axis].low_um)
                              : distance(home, axes[axis].rest_um);
    run_to(axis, home, way, HOMING_PERMILLE, now);
}

void axes_stop(uint8_t axis, uint8_t reason, bool dead) {
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
        if (dead || !(axes[each].state & PLANNED)) {
            rests_dead(each, now);
        } else if (!(axes[each].state & BRAKING)) {
            brake(each, now);
        }
    }
}

void axes_release(uint8_t reason, bool dead) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axes_stop(axis, reason, dead);
    }
}

void axes_forget_tickets(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        travels[axis].voiced = false;
    }
}

bool axis_moves(uint8_t axis) {
    return axes[axis].travel != WIRE_NONE;
}

bool axes_move_now(void) {
    return axis_moves(0) || axis_moves(1) || axis_moves(2);
}

bool axis_is_homed(uint8_t axis) {
    return (axes[axis].state & HOMED) != 0;
}

/* Time */

static void go_on(uint8_t axis, uint32_t now) {
    struct axis *const moves = &axes[axis];
    while (!moves->steps.complete && port_axis_room(axis)) {
        steps_plan(&moves->steps, axis, &moves->profile);
    }
    const uint32_t end = moves->began + micros_of(moves->profile.seconds);
    const bool made = moves->steps.complete &&
                      (port_axis_idle(axis) || port_axis_steps(axis) >= moves->steps.planned);
    if (made && time_reached(now, end)) {
        arrives(axis, end);
    }
}

static PORT_ONCE void turn(uint8_t axis, uint32_t now) {
    const struct axis *const turned = &axes[axis];
    const uint8_t state = turned->state;
    if (state & AT_SWITCH) {
        rests_at_home(axis, turned->met);
    } else if (state & PLANNED) {
        go_on(axis, now);
    } else if ((state & WAITS) && time_reached(now, turned->began)) {
        travels[turned->travel].reason = REASON_TIME;
        rests(axis, now);
    }
}

void axes_turn(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axes[axis].travel != WIRE_NONE) {
            turn(axis, port_micros());
        }
    }
}

/* From the reflex */

void axes_at_switch(uint8_t sensor, uint32_t now) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        struct axis *const moves = &axes[axis];
        if (!(moves->state & (PLANNED | WAITS)) || (moves->state & (BRAKING | AT_SWITCH)) ||
            switch_of(rail_of(axis)) != sensor) {
            continue;
        }
        if (travels[moves->travel].homing) {
            port_axis_halt(axis);
            moves->met = now;
            moves->state |= AT_SWITCH;
        } else if (distance(moves->target_um, home_um(axis)) > EXACT_UM) {
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

/* Tables */

void axes_begin(void) {
    memset(axes, 0, sizeof axes);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axes[axis].travel = WIRE_NONE;
        axes[axis].channel = WIRE_NONE;
        axis_records[axis].channel = WIRE_NONE;
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
        stands_at(axis, axes[axis].rest_um);
        axes[axis].state = 0;
        port_pin_drive(rail_of(axis)->step_pin, false);
        port_pin_drive(rail_of(axis)->direction_pin, false);
    }
}

void axes_off(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axis_records[axis].channel != WIRE_NONE) {
            port_axis_halt(axis);
            port_pin_release(rail_of(axis)->step_pin);
            port_pin_release(rail_of(axis)->direction_pin);
            axes[axis].state = 0;
        }
    }
}
