#include "board.h"

#include "../port.h"
#include "axes.h"
#include "channels.h"
#include "core.h"
#include "dice.h"
#include "events.h"
#include "faults.h"
#include "frame.h"
#include "identity.h"
#include "memory.h"
#include "modules.h"
#include "outputs.h"
#include "proof.h"
#include "reflex.h"
#include "session.h"
#include "strips.h"
#include "table.h"

#include <string.h>

#ifndef BUILD
#define BUILD "0000" /* four letters of the build's hash; the Makefile gives them */
#endif
#define FIRMWARE 1u
#define CURRENT_PIN 69u /* one shunt for all motors: 1 mV is 1 mA */
#define MOST_PERMILLE 1000u

/* Bits of SelfTest's answer. */
enum { TABLE_DAMAGED = 1, NOT_PROVISIONED = 2 };

enum pending { ANSWERED, PROVING, SCANNING, LEAVING };

static enum pending pending;
static uint8_t scanned_port;
static bool met_host;
static uint8_t nonce[PROOF_NONCE];
static bool leased;
static bool lease_expired; /* and not yet given back */
static uint32_t lease_until;
static bool held_is_due;
static uint32_t held_at;
static uint32_t next_millisecond;

/* Answers */

static void ok(void) {
    session_reply(WIRE_OK, 0);
}

static void refuse(uint8_t reason, uint8_t channel) {
    uint8_t payload[WIRE_REFUSED_SIZE];
    wire_refused(payload, reason, channel);
    session_reply(WIRE_REFUSED, payload);
}

static void answer(int32_t value) {
    uint8_t payload[WIRE_VALUE_SIZE];
    wire_value(payload, value);
    session_reply(WIRE_VALUE, payload);
}

/* An order or question that is refused says so itself and gives false, or null. */

static struct channel *known(uint8_t number) {
    if (number >= table_channels()) {
        refuse(REFUSAL_UNKNOWN_CHANNEL, number);
        return 0;
    }
    return &channels[number];
}

static struct channel *find(uint8_t number, uint8_t kind) {
    struct channel *const channel = known(number);
    if (channel && channel->kind != kind) {
        refuse(REFUSAL_WRONG_KIND, number);
        return 0;
    }
    return channel;
}

static bool configured(void) {
    if (!table_in_force()) {
        refuse(REFUSAL_NOT_CONFIGURED, WIRE_NONE);
        return false;
    }
    return true;
}

static bool end_has_room(uint8_t channel) {
    port_lock();
    const bool room = events_have_room();
    port_unlock();
    if (!room) {
        refuse(REFUSAL_BUSY, channel);
    }
    return room;
}

/* Letting go */

static void release(uint8_t reason, bool dead) {
    outputs_release(reason);
    axes_release(reason, dead);
    dice_stop(reason);
}

static void end_lease(void) {
    leased = false;
    lease_expired = false;
}

void board_drop_table(void) {
    release(REASON_STOPPED, true);
    table_drop();
    end_lease();
}

/* Orders: what needs a lease. Each is checked whole before anything moves. */

static struct output *idle_output(uint8_t number, int32_t value) {
    struct channel *const channel = known(number);
    if (!channel) {
        return 0;
    }
    if (!has_output(channel)) {
        refuse(REFUSAL_WRONG_KIND, number);
        return 0;
    }
    struct output *const output = &outputs[channel->plug.output];
    if (!output_takes(output, value)) {
        refuse(REFUSAL_OUT_OF_RANGE, number);
        return 0;
    }
    if (output->state & RUNNING) {
        refuse(REFUSAL_BUSY, number);
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
        ok();
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
        refuse(REFUSAL_OUT_OF_RANGE, number);
    } else if (end_has_room(number)) {
        output_run(&order);
        ok();
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
    if (!output || !find(number, KIND_MOTOR)) {
        return;
    }
    if (until != UNTIL_TIME && !find(sensor, KIND_SENSOR)) {
        return;
    }
    if (!drive_makes_sense(payload)) {
        refuse(REFUSAL_OUT_OF_RANGE, number);
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
    if (end_has_room(number)) {
        output_run(&order);
        ok();
    }
}

static bool still_axis(uint8_t number, uint8_t *axis) {
    const struct channel *const channel = find(number, KIND_AXIS);
    if (!channel) {
        return false;
    }
    *axis = channel->rail.axis;
    if (axis_moves(*axis)) {
        refuse(REFUSAL_BUSY, number);
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

/* Adds a target; one for no channel is none. */
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
        refuse(REFUSAL_OUT_OF_RANGE, number);
        return false;
    }
    if (!axis_is_homed(target->axis)) {
        refuse(REFUSAL_NOT_HOMED, number);
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
    if (count == 0 || permille == 0 || permille > MOST_PERMILLE) {
        refuse(REFUSAL_OUT_OF_RANGE, first);
    } else if (end_has_room(first)) {
        axes_move(targets, count, permille, ticket);
        ok();
    }
}

static void home(const uint8_t *payload, uint8_t ticket) {
    uint8_t axis;
    const uint8_t number = wire_home_channel(payload);
    if (still_axis(number, &axis) && end_has_room(number)) {
        axes_home(axis, ticket);
        ok();
    }
}


static void throw_dice(const uint8_t *payload, uint8_t ticket) {
    const uint8_t number = wire_throw_dice_channel(payload);
    const uint8_t dice = wire_throw_dice_dice(payload);
    struct channel *const channel = find(number, KIND_DICE);
    if (!channel) {
        return;
    }
    if (outputs[channel->unit.output].state & RUNNING) {
        refuse(REFUSAL_BUSY, number);
    } else if (dice == 0 || dice > MOST_DICE) {
        refuse(REFUSAL_OUT_OF_RANGE, number);
    } else if (end_has_room(number)) {
        dome_throw(&channel->unit, dice, ticket);
        ok();
    }
}

/* The light curtain: nothing guarded sets off while somebody reaches through. */

/* The first sensor with this flag that is active now, or WIRE_NONE. */
static uint8_t active_input(uint8_t flag) {
    for (uint8_t number = 0; number < table_channels(); number++) {
        const struct channel *const channel = &channels[number];
        if (channel->kind == KIND_SENSOR && (channel->flags & flag) &&
            (channel->sensor.state & RAW)) {
            return number;
        }
    }
    return WIRE_NONE;
}

static bool is_guarded(uint8_t number) {
    return number < table_channels() && (channels[number].flags & FLAG_GUARDED);
}

static bool names_guarded(uint8_t type, const uint8_t *payload) {
    if (type == WIRE_MOVE) {
        return is_guarded(wire_move_first(payload)) || is_guarded(wire_move_second(payload)) ||
               is_guarded(wire_move_third(payload));
    }
    return is_guarded(payload[0]); /* every other order begins with its channel */
}

static bool curtain_lets(uint8_t type, const uint8_t *payload) {
    const uint8_t broken = active_input(FLAG_CURTAIN);
    if (broken == WIRE_NONE || !names_guarded(type, payload)) {
        return true;
    }
    port_lock();
    faults_latch(FAULT_LIGHT_CURTAIN, broken);
    port_unlock();
    refuse(REFUSAL_FAULT_LATCHED, broken);
    return false;
}

static bool may_order(uint8_t type, const uint8_t *payload) {
    if (!configured()) {
        return false;
    }
    if (faults_any()) {
        refuse(REFUSAL_FAULT_LATCHED, faults_first_channel());
        return false;
    }
    if (!leased) {
        refuse(REFUSAL_NO_LEASE, WIRE_NONE);
        return false;
    }
    return curtain_lets(type, payload);
}

static void order(uint8_t type, const uint8_t *payload, uint8_t ticket) {
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
}

/* Questions: what needs none */

static void read_channel(uint8_t number) {
    const struct channel *const channel = known(number);
    if (!channel) {
        return;
    }
    switch (channel->kind) {
    case KIND_SENSOR:
        answer((channel->sensor.state & ACTIVE) != 0);
        break;
    case KIND_AXIS:
        answer(axis_position_um(channel->rail.axis));
        break;
    case KIND_ANALOG:
        answer(port_analog_mv(channel->unit.pin));
        break;
    case KIND_DICE:
        answer(channel->unit.faces);
        break;
    case KIND_READER:
        refuse(REFUSAL_WRONG_KIND, number);
        break;
    default:
        answer(output_value(&outputs[channel->plug.output]));
        break;
    }
}

static void watch(const uint8_t *payload) {
    struct channel *const channel = find(wire_watch_channel(payload), KIND_SENSOR);
    if (!channel) {
        return;
    }
    port_lock();
    if (wire_watch_on(payload)) {
        channel->sensor.state |= WATCHED;
    } else {
        channel->sensor.state &= (uint8_t) ~(WATCHED | UNTOLD);
    }
    port_unlock();
    ok();
}

static uint32_t count_of(const struct sensor *sensor) {
    port_lock();
    const uint32_t count = sensor->count;
    port_unlock();
    return count;
}

static void count_channel(uint8_t number) {
    const struct channel *const channel = known(number);
    if (!channel) {
        return;
    }
    if (channel->kind == KIND_SENSOR) {
        answer((int32_t)(count_of(&channel->sensor) & INT32_MAX));
    } else if (channel->kind == KIND_DICE) {
        answer((int32_t)(channel->unit.throws & INT32_MAX));
    } else {
        refuse(REFUSAL_WRONG_KIND, number);
    }
}

static void scan(uint8_t number) {
    const struct channel *const channel = known(number);
    if (!channel) {
        return;
    }
    if (channel->kind != KIND_READER) {
        refuse(REFUSAL_WRONG_KIND, number);
        return;
    }
    scanned_port = channel->unit.port;
    module_ask_tag(scanned_port);
    pending = SCANNING;
}

/* What was counted after a cut (a tile still in its debounce time) is part of the order. */
static uint16_t counted_for(const struct output *output) {
    const bool cut_short = output->reason == REASON_STOPPED || output->reason == REASON_HELD ||
                           output->reason == REASON_FAULT;
    if (!cut_short || !(output->state & COUNTS)) {
        return output->counted;
    }
    if (output->sensor >= table_channels() || channels[output->sensor].kind != KIND_SENSOR) {
        return 0;
    }
    return (uint16_t)(count_of(&channels[output->sensor].sensor) - output->first);
}

static const struct output *last_order_of(const struct channel *channel) {
    const struct output *output = 0;
    if (has_output(channel)) {
        output = &outputs[channel->plug.output];
    } else if (channel->kind == KIND_DICE) {
        output = &outputs[channel->unit.output];
    }
    return output && output->reason != NEVER ? output : 0;
}

static void recall(uint8_t number) {
    uint8_t payload[WIRE_RECALLED_SIZE];
    const struct channel *const channel = known(number);
    if (!channel) {
        return;
    }
    const struct output *const output = last_order_of(channel);
    if (!output) {
        wire_recalled(payload, 0, WIRE_NONE, 0, 0);
    } else if (output->state & RUNNING) {
        wire_recalled(payload, output->ticket, WIRE_NONE, 0, 0);
    } else {
        wire_recalled(payload, output->ticket, output->reason, counted_for(output), output->span);
    }
    session_reply(WIRE_RECALLED, payload);
}

static void ask(uint8_t type, const uint8_t *payload) {
    if (!configured()) {
        return;
    }
    switch (type) {
    case WIRE_READ:
        read_channel(wire_read_channel(payload));
        break;
    case WIRE_WATCH:
        watch(payload);
        break;
    case WIRE_COUNT:
        count_channel(wire_count_channel(payload));
        break;
    case WIRE_SCAN:
        scan(wire_scan_channel(payload));
        break;
    default:
        recall(wire_recall_channel(payload));
        break;
    }
}

/* The session, the table, the lease, faults */

/* Another host, or the same one anew: the motions of the last session mean nothing to it. */
static void meet_host(const uint8_t *new_nonce) {
    if (met_host && memcmp(nonce, new_nonce, sizeof nonce) == 0) {
        return;
    }
    met_host = true;
    memcpy(nonce, new_nonce, sizeof nonce);
    outputs_forget_tickets();
    axes_forget_tickets();
    outputs_end_running(REASON_STOPPED);
    axes_release(REASON_STOPPED, false);
    dice_stop(REASON_STOPPED);
    faults_tell_again();
}

static void identify(const uint8_t *payload) {
    if (wire_identify_protocol(payload) != WIRE_PROTOCOL) {
        refuse(REFUSAL_WRONG_VERSION, WIRE_NONE);
        return;
    }
    meet_host(wire_identify_nonce(payload));
    proof_begin(nonce);
    pending = PROVING;
}

static void say_identity(void) {
    uint8_t payload[WIRE_IDENTITY_SIZE];
    uint8_t proof[PROOF_SIZE];
    proof_read(proof);
    const uint32_t hash = (uint32_t)table_channels() << 16 | table_crc();
    wire_identity(payload, WIRE_PROTOCOL, FIRMWARE, (const uint8_t *)BUILD, identity.serial,
                  identity.boots, port_reset_cause(), hash, table_crc(), proof);
    session_reply(WIRE_IDENTITY, payload);
}

static void say(struct refusal refusal) {
    if (refusal.reason) {
        refuse(refusal.reason, refusal.channel);
    } else {
        ok();
    }
}

static void take_lease(const uint8_t *payload) {
    const uint16_t ms = wire_take_lease_duration_ms(payload);
    if (!configured()) {
        return;
    }
    if (ms == 0) {
        const bool had = leased;
        end_lease();
        if (had) {
            release(REASON_STOPPED, false);
        }
        ok();
    } else if (lease_expired) {
        refuse(REFUSAL_NO_LEASE, WIRE_NONE);
    } else {
        leased = true;
        lease_until = port_micros() + ms * UINT32_C(1000);
        ok();
    }
}

static void stop(uint8_t number) {
    if (!configured()) {
        return;
    }
    if (number == WIRE_NONE) {
        outputs_stop_motion(REASON_STOPPED);
        axes_release(REASON_STOPPED, false);
        dice_stop(REASON_STOPPED);
        ok();
        return;
    }
    struct channel *const channel = known(number);
    if (!channel) {
        return;
    }
    if (has_output(channel)) {
        output_stop(channel->plug.output, REASON_STOPPED);
    } else if (channel->kind == KIND_AXIS) {
        axes_stop(channel->rail.axis, REASON_STOPPED, false);
    } else if (channel->kind == KIND_DICE) {
        dome_stop(&channel->unit, REASON_STOPPED);
    } else {
        refuse(REFUSAL_WRONG_KIND, number);
        return;
    }
    ok();
}

static bool both_switches_are_active(uint8_t number) {
    return number < table_channels() && has_output(&channels[number]) &&
           sensor_is_active(channels[number].plug.forward_stop) &&
           sensor_is_active(channels[number].plug.reverse_stop);
}

static bool persists(uint8_t code, uint8_t channel) {
    switch (code) {
    case FAULT_EMERGENCY_STOP:
        return port_pin_level(EMERGENCY_PIN) || active_input(FLAG_EMERGENCY) != WIRE_NONE;
    case FAULT_LIGHT_CURTAIN:
        return active_input(FLAG_CURTAIN) != WIRE_NONE;
    case FAULT_BOTH_SWITCHES:
        return both_switches_are_active(channel);
    default:
        return false;
    }
}

static void let_go_if_due(void) {
    bool dead;
    if (faults_take_release(&dead)) {
        release(REASON_FAULT, dead);
    }
}

static void clear(void) {
    let_go_if_due(); /* what has latched in this moment stops all before it is cleared */
    faults_clear(persists);
    if (faults_any()) {
        refuse(REFUSAL_CAUSE_PERSISTS, faults_first_channel());
    } else {
        ok();
    }
}

static void self_test(void) {
    const int32_t table = table_is_whole() ? 0 : TABLE_DAMAGED;
    answer(identity.provisioned ? table : table | NOT_PROVISIONED);
}

static void report(void) {
    uint8_t payload[WIRE_STATISTICS_SIZE];
    wire_statistics(payload, core_longest_turn(), frame_dropped(), session_repeated(),
                    (uint16_t)(identity.boots - 1u));
    session_reply(WIRE_STATISTICS, payload);
}

static void leave(void) {
    board_drop_table();
    ok();
    pending = LEAVING;
}

void board_execute(uint8_t type, const uint8_t *payload, uint8_t sequence) {
    switch (type) {
    case WIRE_IDENTIFY:
        identify(payload);
        break;
    case WIRE_CONFIGURE:
        say(table_configure(payload));
        break;
    case WIRE_COMMIT:
        say(table_commit(wire_commit_channels(payload), wire_commit_crc(payload)));
        break;
    case WIRE_TAKE_LEASE:
        take_lease(payload);
        break;
    case WIRE_STOP:
        stop(wire_stop_channel(payload));
        break;
    case WIRE_CLEAR:
        clear();
        break;
    case WIRE_SET:
    case WIRE_PULSE:
    case WIRE_DRIVE:
    case WIRE_MOVE:
    case WIRE_HOME:
    case WIRE_THROW_DICE:
        order(type, payload, sequence);
        break;
    case WIRE_READ:
    case WIRE_WATCH:
    case WIRE_COUNT:
    case WIRE_SCAN:
    case WIRE_RECALL:
        ask(type, payload);
        break;
    case WIRE_SELF_TEST:
        self_test();
        break;
    case WIRE_REPORT:
        report();
        break;
    case WIRE_BOOTLOADER:
        leave();
        break;
    default:
        refuse(REFUSAL_OUT_OF_RANGE, WIRE_NONE);
        break;
    }
}

/* What the board does by itself */

void board_begin(void) {
    pending = ANSWERED;
    met_host = false;
    held_is_due = false;
    end_lease();
    next_millisecond = port_micros();
    table_begin();
    output_count = 0;
    faults_begin();
    modules_begin();
    reflex_begin();
    axes_begin();
    dice_begin();
    const bool sound = memory_begin();
    port_lock();
    if (!sound) {
        faults_latch(FAULT_CONFIGURATION, WIRE_NONE);
    }
    port_pin_sense(EMERGENCY_PIN);
    if (port_pin_level(EMERGENCY_PIN)) {
        reflex_emergency();
    }
    port_unlock();
}

static void heed_lease(uint32_t now) {
    if (leased && time_reached(now, lease_until)) {
        leased = false;
        lease_expired = true;
        release(REASON_HELD, false);
        held_is_due = true;
        held_at = now;
    }
}

/* HELD follows the last motion that the lease's end has stopped. */
static void say_held(void) {
    if (!held_is_due || axes_move_now()) {
        return;
    }
    held_is_due = false;
    port_lock();
    uint8_t *const payload = events_add(WIRE_HELD);
    if (payload) {
        wire_held(payload, held_at);
    }
    port_unlock();
}

static void answer_scan(void) {
    if (module_has_answered(scanned_port)) {
        uint8_t payload[WIRE_TAG_SIZE];
        module_tag(scanned_port, payload); /* the tag is the whole payload */
        pending = ANSWERED;
        session_reply(WIRE_TAG, payload);
    }
}

/* Replies that take several turns; true while the next turn brings this one further. */
static bool answer_pending(void) {
    switch (pending) {
    case PROVING:
        if (proof_go_on()) {
            pending = ANSWERED;
            say_identity();
        }
        return true;
    case SCANNING:
        answer_scan();
        return false;
    case LEAVING:
        pending = ANSWERED;
        port_bootloader();
        return false;
    case ANSWERED:
    default:
        return false;
    }
}

static bool nothing_moves(void) {
    if (axes_move_now()) {
        return false;
    }
    for (uint8_t at = 0; at < output_count; at++) {
        const uint8_t kind = channels[outputs[at].channel].kind;
        if (((outputs[at].state & RUNNING) && kind != KIND_STRIP) ||
            (kind == KIND_MOTOR && output_value(&outputs[at]) != 0)) {
            return false;
        }
    }
    return true;
}

/* Lamps take what comes within 50 us of each other as one message: so no strip is told more often. */
static void do_each_millisecond(uint32_t now) {
    if (time_reached(now, next_millisecond)) {
        next_millisecond = now + 1000u; /* counted anew: no pulse is shorter for a late turn */
        outputs_modulate();
        outputs_draw(port_analog_mv(CURRENT_PIN));
        strips_turn(nothing_moves());
    }
}

bool board_turn(uint32_t now) {
    let_go_if_due();
    heed_lease(now);
    if (table_in_force()) {
        outputs_turn(now);
        dice_turn(now);
        axes_turn();
        do_each_millisecond(now);
    }
    let_go_if_due();
    say_held();
    const bool more = answer_pending();
    reflex_tell_untold();
    if (pending != PROVING) {
        events_turn(identity.address, now);
    }
    memory_turn(now, nothing_moves());
    return more;
}
