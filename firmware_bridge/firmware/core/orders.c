#include "orders.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "dice.h"
#include "drives.h"
#include "faults.h"
#include "gate.h"
#include "modules.h"
#include "outputs.h"
#include "reflex.h"
#include "safety.h"
#include "state.h"

#define MOST_PERMILLE 1000u

/* Motors, outputs and strips */

static struct output *idle_output(uint8_t number, int32_t value) {
    struct channel *const channel = known_channel(number);
    if (!channel) {
        return 0;
    }
    if (!has_output(channel)) {
        answer_refused(REFUSAL_WRONG_KIND, number);
        return 0;
    }
    struct output *const output = &outputs[channel->plug.output];
    if (!output_takes(output, value)) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
        return 0;
    }
    if (output->state & RUNNING) {
        answer_refused(REFUSAL_BUSY, number);
        return 0;
    }
    return output;
}

static void set(const uint8_t *payload, uint8_t ticket) {
    (void)ticket;
    const int32_t value = wire_set_value(payload);
    const struct output *const output = idle_output(wire_set_channel(payload), value);
    if (output) {
        output_set(plug_of(output)->output, value);
        answer_ok();
    }
}

static void pulse(const uint8_t *payload, uint8_t ticket) {
    const uint8_t number = wire_pulse_channel(payload);
    const struct output *const output = idle_output(number, wire_pulse_value(payload));
    if (!output) {
        return;
    }
    const struct plug *const plug = plug_of(output);
    const struct order order = {
        .output = plug->output,
        .ticket = ticket,
        .until = UNTIL_TIME,
        .pulse = true,
        .sensor = WIRE_NONE,
        .value = wire_pulse_value(payload),
        .limit = duration_of(wire_pulse_duration_ms(payload)),
    };
    if (plug->max_on != 0 && wire_pulse_duration_ms(payload) > plug->max_on / 1000u) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
    } else if (room_for_end(number)) {
        output_run(&order);
        answer_ok();
    }
}

static bool drive_makes_sense(const uint8_t *payload) {
    const uint8_t until = wire_drive_until(payload);
    return wire_drive_value(payload) != 0 && wire_drive_limit_ms(payload) != 0 &&
           until >= UNTIL_EDGES && until <= UNTIL_TIME &&
           !(until == UNTIL_EDGES && wire_drive_count(payload) == 0);
}

static void drive(const uint8_t *payload, uint8_t ticket) {
    const uint8_t number = wire_drive_channel(payload);
    const uint8_t until = wire_drive_until(payload);
    const uint8_t sensor = until == UNTIL_TIME ? WIRE_NONE : wire_drive_sensor(payload);
    const struct output *const output = idle_output(number, wire_drive_value(payload));
    if (!output || !channel_of_kind(number, KIND_MOTOR)) {
        return;
    }
    if (until != UNTIL_TIME && !channel_of_kind(sensor, KIND_SENSOR)) {
        return;
    }
    if (!drive_makes_sense(payload)) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
        return;
    }
    const struct order order = {
        .output = plug_of(output)->output,
        .ticket = ticket,
        .until = until,
        .sensor = sensor,
        .count = wire_drive_count(payload),
        .limit_ma = wire_drive_limit_ma(payload),
        .value = wire_drive_value(payload),
        .limit = duration_of(wire_drive_limit_ms(payload)),
    };
    if (room_for_end(number)) {
        output_run(&order);
        answer_ok();
    }
}

/* Axes */

static bool still_axis(uint8_t number, uint8_t *axis) {
    const struct channel *const channel = channel_of_kind(number, KIND_AXIS);
    if (!channel) {
        return false;
    }
    *axis = channel->rail.axis;
    if (axis_moves(*axis)) {
        answer_refused(REFUSAL_BUSY, number);
        return false;
    }
    return true;
}

static bool is_target(const struct target *targets, uint8_t count, uint8_t axis) {
    for (uint8_t at = 0; at < count; at++) {
        if (targets[at].axis == axis) {
            return true;
        }
    }
    return false;
}

/* Adds a target to the list; the channel WIRE_NONE adds none. */
static bool add_target(struct target *targets, uint8_t *count, uint8_t number, int32_t um) {
    if (number == WIRE_NONE) {
        return true;
    }
    struct target *const target = &targets[*count];
    if (!still_axis(number, &target->axis)) {
        return false;
    }
    const struct axis_record *const record = &axis_records[target->axis];
    if (is_target(targets, *count, target->axis) || um < record->low_um || um > record->high_um) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
        return false;
    }
    if (!axis_is_homed(target->axis)) {
        answer_refused(REFUSAL_NOT_HOMED, number);
        return false;
    }
    target->um = um;
    (*count)++;
    return true;
}

static void move(const uint8_t *payload, uint8_t ticket) {
    struct target targets[AXES];
    uint8_t count = 0;
    const uint8_t first = wire_move_first(payload);
    const uint16_t permille = wire_move_speed(payload);
    if (!add_target(targets, &count, first, wire_move_first_um(payload)) ||
        !add_target(targets, &count, wire_move_second(payload), wire_move_second_um(payload)) ||
        !add_target(targets, &count, wire_move_third(payload), wire_move_third_um(payload))) {
        return;
    }
    if (count == 0 || permille == 0 || permille > MOST_PERMILLE ||
        axes_move_is_too_long(targets, count, permille)) {
        answer_refused(REFUSAL_OUT_OF_RANGE, first);
    } else if (room_for_end(first)) {
        axes_move(targets, count, permille, ticket);
        answer_ok();
    }
}

static void home(const uint8_t *payload, uint8_t ticket) {
    uint8_t axis;
    const uint8_t number = wire_home_channel(payload);
    if (!still_axis(number, &axis)) {
        return;
    }
    if (axes_home_is_too_long(axis)) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
    } else if (room_for_end(number)) {
        axes_home(axis, ticket);
        answer_ok();
    }
}

/* Dice */

static void throw_dice(const uint8_t *payload, uint8_t ticket) {
    const uint8_t number = wire_throw_dice_channel(payload);
    const uint8_t dice = wire_throw_dice_dice(payload);
    struct channel *const channel = channel_of_kind(number, KIND_DICE);
    if (!channel) {
        return;
    }
    if (outputs[channel->unit.output].state & RUNNING) {
        answer_refused(REFUSAL_BUSY, number);
    } else if (dice == 0 || dice > MOST_DICE) {
        answer_refused(REFUSAL_OUT_OF_RANGE, number);
    } else if (room_for_end(number)) {
        dome_throw(&channel->unit, dice, ticket);
        answer_ok();
    }
}

/* Conditions for every order */

static bool may_order(uint8_t type, const uint8_t *payload) {
    if (!table_is_there()) {
        return false;
    }
    if (faults_any()) {
        answer_refused(REFUSAL_FAULT_LATCHED, faults_first_channel());
        return false;
    }
    if (!lease.holds) {
        answer_refused(REFUSAL_NO_LEASE, WIRE_NONE);
        return false;
    }
    if (!gate_opens()) {
        answer_refused(REFUSAL_FAULT_LATCHED, sensor_on[EMERGENCY_PIN]); /* not reported yet */
        return false;
    }
    return safety_begin_order(type, payload);
}

void orders_do(uint8_t type, const uint8_t *payload, uint8_t ticket) {
    if (!may_order(type, payload)) {
        return;
    }
    switch (type) {
    case WIRE_SET:
        set(payload, ticket);
        break;
    case WIRE_PULSE:
        pulse(payload, ticket);
        break;
    case WIRE_DRIVE:
        drive(payload, ticket);
        break;
    case WIRE_MOVE:
        move(payload, ticket);
        break;
    case WIRE_HOME:
        home(payload, ticket);
        break;
    default:
        throw_dice(payload, ticket);
        break;
    }
    safety_end_order();
}
