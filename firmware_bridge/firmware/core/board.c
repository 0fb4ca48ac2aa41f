#include "board.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "axis.h"
#include "currents.h"
#include "dice.h"
#include "drives.h"
#include "events.h"
#include "faults.h"
#include "frame.h"
#include "identity.h"
#include "lease.h"
#include "levels.h"
#include "limits.h"
#include "memory.h"
#include "modules.h"
#include "orders.h"
#include "outputs.h"
#include "pending.h"
#include "questions.h"
#include "reflex.h"
#include "replies.h"
#include "ring.h"
#include "safety.h"
#include "selftest.h"
#include "setup.h"
#include "state.h"
#include "stops.h"
#include "strips.h"
#include "supply.h"
#include "travels.h"
#include "twin.h"

#define CHECK_EVERY_US 4000u /* from one channel of the table's check to the next */

static uint32_t next_millisecond, next_check;
static uint32_t longest_turn; /* microseconds */

/* Commands */

static void answer_refusal(struct refusal refusal) {
    if (refusal.reason) {
        answer_refused(refusal.reason, refusal.channel);
    } else {
        answer_ok();
    }
}

static void report(void) {
    uint8_t payload[WIRE_STATISTICS_SIZE];
    wire_statistics(payload, longest_turn, frame_dropped(), replies_repeated(),
                    (uint16_t)(identity.boots - 1u), ring_used());
    replies_send(WIRE_STATISTICS, payload);
}

static void report_limits(void) {
    uint8_t payload[WIRE_LIMITS_SIZE];
    limits_report(payload);
    replies_send(WIRE_LIMITS, payload);
}

static void report_supply(void) {
    uint8_t payload[WIRE_SUPPLY_SIZE];
    wire_supply(payload, supply_measured_mv(), supply_reference_mv());
    replies_send(WIRE_SUPPLY, payload);
}

/* Ends the motions of the last session: their tickets have no meaning for a new one. */
static void begin_session(void) {
    outputs_forget_tickets();
    travels_forget_tickets();
    outputs_end_running(REASON_STOPPED);
    axes_release(REASON_STOPPED, false);
    dice_stop(REASON_STOPPED);
    faults_report_again();
    answer_ok();
}

void board_execute(uint8_t type, const uint8_t *payload, uint8_t sequence) {
    switch (type) {
    case WIRE_AUTHENTICATE:
        begin_session();
        break;
    case WIRE_CONFIGURE:
        answer_refusal(setup_configure(payload));
        break;
    case WIRE_COMMIT:
        answer_refusal(setup_commit(wire_commit_channels(payload), wire_commit_crc(payload)));
        break;
    case WIRE_TAKE_LEASE:
        lease_take(payload);
        break;
    case WIRE_STOP:
        stop_ordered(wire_stop_channel(payload));
        break;
    case WIRE_CLEAR:
        safety_clear();
        break;
    case WIRE_SET:
    case WIRE_PULSE:
    case WIRE_DRIVE:
    case WIRE_MOVE:
    case WIRE_HOME:
    case WIRE_THROW_DICE:
        orders_do(type, payload, sequence);
        break;
    case WIRE_READ:
    case WIRE_WATCH:
    case WIRE_COUNT:
    case WIRE_SCAN:
    case WIRE_RECALL:
        questions_ask(type, payload);
        break;
    case WIRE_SELF_TEST:
        answer_value(selftest_defects());
        break;
    case WIRE_REPORT:
        report();
        break;
    case WIRE_READ_LIMITS:
        report_limits();
        break;
    case WIRE_READ_SUPPLY:
        report_supply();
        break;
    case WIRE_BOOTLOADER:
        pending_leave(wire_get_u32(payload));
        break;
    default:
        answer_refused(REFUSAL_OUT_OF_RANGE, WIRE_NONE);
        break;
    }
}

/* Tasks of a turn */

static void latch_fault_of_reset(uint8_t cause) {
    if (cause == RESET_CAUSE_BROWN_OUT) {
        faults_latch(FAULT_BROWN_OUT, WIRE_NONE);
    } else if (cause == RESET_CAUSE_WATCHDOG) {
        faults_latch(FAULT_WATCHDOG, WIRE_NONE);
    }
}

void board_begin(void) {
    pending_begin();
    lease_begin();
    next_millisecond = next_check = port_micros();
    longest_turn = 0;
    state_begin();
    setup_begin();
    faults_begin();
    safety_begin();
    supply_begin();
    modules_begin();
    selftest_begin();
    reflex_begin();
    axes_begin();
    dice_begin();
    const bool sound = memory_begin();
    port_lock();
    latch_fault_of_reset(port_reset_cause());
    if (!sound) {
        faults_latch(FAULT_CONFIGURATION, WIRE_NONE);
    }
    port_pin_sense(EMERGENCY_PIN);
    if (port_pin_level(EMERGENCY_PIN)) {
        reflex_emergency();
    }
    port_unlock();
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

/* A strip takes lamps that follow each other within 50 us as one message, and the strips are sent
 * only here, a millisecond apart: two messages never run together. */
static void do_each_millisecond(uint32_t now) {
    if (time_reached(now, next_millisecond)) {
        next_millisecond = now + 1000u;
        currents_turn(now);
        outputs_check_current();
        strips_turn(nothing_moves());
        levels_turn(now);
        if (time_reached(now, next_check)) {
            next_check = now + CHECK_EVERY_US;
            setup_check();
        }
        safety_compare_levels();
        selftest_check_output();
    }
}

void board_note_turn(uint32_t micros) {
    if (micros > longest_turn) {
        longest_turn = micros;
    }
}

void board_plan_steps(void) {
    if (table_in_force()) {
        axes_turn();
    }
}

bool board_turn(uint32_t now) {
    supply_turn(now);
    selftest_turn(now);
    safety_stop_if_due();
    lease_check(now);
    if (table_in_force()) {
        outputs_turn(port_micros()); /* not `now`: a command of this turn took part of a millisecond */
        dice_turn(now);
        axes_turn();
        do_each_millisecond(now);
    }
    safety_stop_if_due();
    lease_report_held();
    bool more = pending_turn();
    faults_report_late();
    reflex_report_late();
    board_plan_steps();
    events_turn(identity.address, now);
    board_plan_steps();
    memory_turn(now, nothing_moves());
    if (supply_permits_writing() && port_storage_ready()) {
        twin_turn();
        more = more || memory_start_goes_on();
    }
    return more;
}
