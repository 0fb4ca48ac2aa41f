#include "drives.h"

#include "../port.h"
#include "currents.h"
#include "cut.h"
#include "events.h"
#include "faults.h"

/* Start and end of an order */

void note_order_begin(uint8_t output, uint8_t ticket, uint8_t sensor, bool counts, uint32_t now) {
    struct output *const runs = &outputs[output];
    runs->state &= (uint8_t) ~(AWAITS_LEVEL | AWAITS_ACTIVE | PULSED | COUNTS);
    runs->state |= RUNNING | REPORTS_END;
    runs->ticket = ticket;
    runs->reason = WIRE_NONE;
    runs->sensor = sensor;
    runs->next = WIRE_NONE;
    runs->edges = 0;
    runs->counted = 0;
    runs->limit_ma = 0;
    runs->span = now;
    if (counts) {
        runs->state |= COUNTS;
        runs->first = (uint16_t)channels[sensor].sensor.count;
    }
    events_reserve();
}

bool note_order_end(uint8_t output, uint8_t reason, uint32_t now) {
    struct output *const ran = &outputs[output];
    ran->state &= (uint8_t)~RUNNING;
    ran->reason = reason;
    ran->span = now - ran->span;
    events_free_reserved();
    return (ran->state & REPORTS_END) != 0;
}

static void join_awaiting(uint8_t output) {
    struct sensor *const sensor = &channels[outputs[output].sensor].sensor;
    uint8_t *last = &sensor->awaited_by;
    while (*last != WIRE_NONE) {
        last = &outputs[*last].next;
    }
    *last = output;
    cut_prepare(outputs[output].sensor);
}

static void leave_awaiting(uint8_t output) {
    if (outputs[output].sensor == WIRE_NONE) {
        return;
    }
    uint8_t *link = &channels[outputs[output].sensor].sensor.awaited_by;
    while (*link != WIRE_NONE && *link != output) {
        link = &outputs[*link].next;
    }
    if (*link == output) {
        *link = outputs[output].next;
    }
    outputs[output].next = WIRE_NONE;
    cut_prepare(outputs[output].sensor);
}

static void report_end(const struct output *output) {
    uint8_t *const payload = events_add(WIRE_MOTION_ENDED);
    if (payload) {
        wire_motion_ended(payload, output->ticket, output->channel, output->reason,
                          output->counted, output->span);
    }
}

/* An order ends in three parts, so that the main loop locks out the reflex for each part only: the
 * first ends the order, the second sets the output to its safe value, the third reports the end. */
static bool end_order(uint8_t output, uint8_t reason, uint32_t now, bool *reports) {
    if (!(outputs[output].state & RUNNING)) {
        return false;
    }
    leave_awaiting(output);
    *reports = note_order_end(output, reason, now);
    return true;
}

void output_end(uint8_t output, uint8_t reason) {
    bool reports;
    if (end_order(output, reason, port_micros(), &reports)) {
        output_rest(&outputs[output]);
        if (reports) {
            report_end(&outputs[output]);
        }
    }
}

void output_stop_at_switch(uint8_t output) {
    if (outputs[output].state & RUNNING) {
        output_end(output, REASON_SWITCH);
    } else {
        output_rest(&outputs[output]);
    }
}

/* Called from the main loop */

void output_stop(uint8_t output, uint8_t reason) {
    const uint32_t now = port_micros();
    bool reports = false;
    if (output_kind(&outputs[output]) == KIND_DICE) {
        return; /* `dome_stop` stops a dome */
    }
    port_lock();
    end_order(output, reason, now, &reports);
    port_unlock();
    port_lock();
    output_rest(&outputs[output]);
    port_unlock();
    if (reports) {
        port_lock();
        report_end(&outputs[output]);
        port_unlock();
    }
}

/* A motor that already runs, or waits to run, this way does not start. */
static void note_start(const struct output *output, int32_t value) {
    const bool same_way = value > 0 ? output->wanted > 0 : output->wanted < 0;
    if (value != 0 && !same_way && output_kind(output) == KIND_MOTOR) {
        currents_note_start(output->channel);
    }
}

void output_set(uint8_t output, int32_t value) {
    struct output *const set = &outputs[output];
    note_start(set, value);
    port_lock();
    output_put(set, value);
    port_unlock();
}

/* Begins an order without moving anything yet. Returns the reason for which it ends at once, or
 * WIRE_NONE. */
static uint8_t begin_order(const struct order *order, const struct deadline *ends, uint32_t now) {
    struct output *const output = &outputs[order->output];
    const bool counts = order->until == UNTIL_EDGES;
    const bool level = order->until == UNTIL_LEVEL;
    note_order_begin(order->output, order->ticket, order->sensor, counts, now);
    output->ends = *ends;
    output->limit_ma = order->limit_ma;
    output->reverse = order->value < 0;
    if (counts) {
        output->edges = order->count;
    }
    if (level) {
        output->state |= AWAITS_LEVEL;
    }
    if (level && order->count != 0) {
        output->state |= AWAITS_ACTIVE;
    }
    if (order->pulse) {
        output->state |= PULSED;
    }
    if (order->sensor != WIRE_NONE) {
        join_awaiting(order->output);
    }
    if (level && sensor_is_active(order->sensor) == (order->count != 0)) {
        return REASON_LEVEL;
    }
    return output_is_blocked(plug_of(output), order->value) ? REASON_SWITCH : WIRE_NONE;
}

void output_run(const struct order *order) {
    const uint32_t now = port_micros();
    const struct deadline ends = deadline_after(now, &order->limit);
    note_start(&outputs[order->output], order->value);
    port_lock();
    const uint8_t reason = begin_order(order, &ends, now);
    if (reason == WIRE_NONE) {
        output_put(&outputs[order->output], order->value);
    }
    port_unlock();
    if (reason != WIRE_NONE) {
        output_stop(order->output, reason);
    }
}

void outputs_stop_motion(uint8_t reason) {
    for (uint8_t at = 0; at < output_count; at++) {
        if ((outputs[at].state & RUNNING) || output_kind(&outputs[at]) == KIND_MOTOR) {
            output_stop(at, reason);
        }
    }
}

void outputs_end_running(uint8_t reason) {
    for (uint8_t at = 0; at < output_count; at++) {
        if (outputs[at].state & RUNNING) {
            output_stop(at, reason);
        }
    }
}

void outputs_release(uint8_t reason) {
    for (uint8_t at = 0; at < output_count; at++) {
        output_stop(at, reason);
    }
}

void outputs_forget_tickets(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        port_lock();
        outputs[at].state &= (uint8_t)~REPORTS_END;
        port_unlock();
    }
}

/* Time and current */

static void end_dead_time(struct output *output, uint32_t now) {
    port_lock();
    output_end_dead_time(output, now);
    port_unlock();
}

static void latch_if_too_long(const struct output *output, uint32_t now) {
    port_lock();
    if ((output->state & LIMITED) && time_reached(now, output->on_until)) {
        faults_latch(FAULT_MAXIMUM_ON_TIME, output->channel);
    }
    port_unlock();
}

void outputs_turn(uint32_t now) {
    for (uint8_t at = 0; at < output_count; at++) {
        struct output *const output = &outputs[at];
        /* Checked first: an order as long as the maximum on-time ends without a fault. */
        if ((output->state & RUNNING) && output_kind(output) != KIND_DICE &&
            deadline_passed(&output->ends, now)) {
            output_stop(at, output->state & PULSED ? REASON_DONE : REASON_TIME);
        }
        if (output->barred != 0) {
            end_dead_time(output, now);
        }
        if (output->state & LIMITED) {
            latch_if_too_long(output, now);
        }
    }
}

void outputs_check_current(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        const uint16_t most = outputs[at].limit_ma;
        if ((outputs[at].state & RUNNING) && most != 0 && current_of(outputs[at].channel) > most) {
            output_stop(at, REASON_CURRENT);
        }
    }
}
