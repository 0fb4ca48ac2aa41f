#include "outputs.h"

#include "../port.h"
#include "events.h"
#include "faults.h"
#include "strips.h"

#include <string.h>

#define MOST_MA 4000u /* a motor that draws more is a fault, whatever limit its drive has */
#define FULL 1000
#define PHASES 10u /* of the pulse width modulation, a millisecond each */

struct output outputs[MOST_OUTPUTS];
uint8_t output_count;

static uint8_t phase;
static uint8_t last_started; /* the motor's channel */

/* Pins */

static uint8_t kind_of(const struct output *output) {
    return channels[output->channel].kind;
}

int32_t output_value(const struct output *output) {
    return output->state & HELD_BACK ? plug_of(output)->safe : output->wanted;
}

bool output_is_away(const struct output *output) {
    return (output->state & RUNNING) || output_value(output) != plug_of(output)->safe;
}

static void write_motor(const struct plug *plug, int32_t value) {
    /* What has to be low goes first: both pins are never high together. */
    if (value > 0) {
        port_pin_write(plug->second_pin, false);
        port_pin_write(plug->pin, true);
    } else {
        port_pin_write(plug->pin, false);
        port_pin_write(plug->second_pin, value < 0);
    }
}

static void write_pins(const struct output *output, int32_t value) {
    const struct plug *const plug = plug_of(output);
    switch (kind_of(output)) {
    case KIND_MOTOR:
        write_motor(plug, value);
        break;
    case KIND_OUTPUT:
        port_pin_write(plug->pin, value != 0);
        break;
    default:
        strips_have_changed();
        break;
    }
}

/* The maximum on-time runs while anything but the safe value is on the copper. */
static void limit(struct output *output) {
    const struct plug *const plug = plug_of(output);
    if (output_value(output) == plug->safe) {
        output->state &= (uint8_t)~LIMITED;
    } else if (plug->max_on != 0 && !(output->state & LIMITED)) {
        output->on_until = port_micros() + plug->max_on;
        output->state |= LIMITED;
    }
}

/* Puts a value on the copper, or the safe one while it is held back. */
static void put(struct output *output, int32_t wanted, bool held) {
    const int32_t before = output_value(output);
    output->wanted = wanted;
    output->state = (uint8_t)(held ? output->state | HELD_BACK : output->state & ~HELD_BACK);
    if (output_value(output) != before) {
        /* A latched fault keeps everything safe, whatever is ordered in that moment. */
        write_pins(output, faults_any() ? plug_of(output)->safe : output_value(output));
        limit(output);
    }
}

static bool switch_is_against(const struct plug *plug, int32_t value) {
    return (value > 0 && sensor_is_active(plug->forward_stop)) ||
           (value < 0 && sensor_is_active(plug->reverse_stop));
}

/* A new value, whose maximum on-time begins anew. */
static void put_anew(struct output *output, int32_t value) {
    output->state &= (uint8_t)~LIMITED;
    put(output, value, sensor_is_active(plug_of(output)->hold));
    limit(output);
}

static void rest(struct output *output) {
    const struct plug *const plug = plug_of(output);
    if (switch_is_against(plug, plug->safe)) {
        put(output, plug->safe, false);
    } else {
        put_anew(output, plug->safe);
    }
}

/* Orders */

void order_begins(uint8_t output, uint8_t ticket, uint8_t sensor, bool counts, uint32_t now) {
    struct output *const runs = &outputs[output];
    runs->state &= (uint8_t) ~(AWAITS_LEVEL | AWAITS_ACTIVE | PULSED | COUNTS);
    runs->state |= RUNNING | VOICED;
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
    events_promise();
}

bool order_ends(uint8_t output, uint8_t reason, uint32_t now) {
    struct output *const ran = &outputs[output];
    ran->state &= (uint8_t)~RUNNING;
    ran->reason = reason;
    ran->span = now - ran->span;
    events_keep_promise();
    return (ran->state & VOICED) != 0;
}

static void await(uint8_t output) {
    struct sensor *const sensor = &channels[outputs[output].sensor].sensor;
    uint8_t *last = &sensor->awaited_by;
    while (*last != WIRE_NONE) {
        last = &outputs[*last].next;
    }
    *last = output;
}

static void await_no_more(uint8_t output) {
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
}

static void tell_end(const struct output *output) {
    uint8_t *const payload = events_add(WIRE_MOTION_ENDED);
    if (payload) {
        wire_motion_ended(payload, output->ticket, output->channel, output->reason,
                          output->counted, output->span);
    }
}

/* An end has three parts, so that the main loop need not lock out the reflex for all of it:
 * from the first on it runs no more, with the second it is safe, the third tells of it. */
static bool end_order(uint8_t output, uint8_t reason, uint32_t now, bool *tell) {
    if (!(outputs[output].state & RUNNING)) {
        return false;
    }
    await_no_more(output);
    *tell = order_ends(output, reason, now);
    return true;
}

void output_end(uint8_t output, uint8_t reason) {
    bool tell;
    if (end_order(output, reason, port_micros(), &tell)) {
        rest(&outputs[output]);
        if (tell) {
            tell_end(&outputs[output]);
        }
    }
}

void output_stop_at_switch(uint8_t output) {
    if (outputs[output].state & RUNNING) {
        output_end(output, REASON_SWITCH);
    } else {
        rest(&outputs[output]);
    }
}

void output_cut(const struct output *output) {
    write_pins(output, plug_of(output)->safe);
}

void output_hold(uint8_t output, bool held) {
    put(&outputs[output], outputs[output].wanted, held);
}

/* The main loop's side */

void output_stop(uint8_t output, uint8_t reason) {
    const uint32_t now = port_micros();
    bool tell = false;
    if (kind_of(&outputs[output]) == KIND_DICE) {
        return; /* the dice stop their domes themselves */
    }
    port_lock();
    end_order(output, reason, now, &tell);
    port_unlock();
    port_lock();
    rest(&outputs[output]);
    port_unlock();
    if (tell) {
        port_lock();
        tell_end(&outputs[output]);
        port_unlock();
    }
}

bool output_takes(const struct output *output, int32_t value) {
    switch (kind_of(output)) {
    case KIND_MOTOR:
        return value >= -FULL && value <= FULL;
    case KIND_OUTPUT:
        return value == 0 || value == 1;
    default: {
        const uint8_t lamps = plug_of(output)->second_pin;
        return value >= 0 && (lamps > 30 || value < INT32_C(1) << lamps);
    }
    }
}

static void note_start(const struct output *output, int32_t value) {
    if (value != 0 && kind_of(output) == KIND_MOTOR) {
        last_started = output->channel;
    }
}

void output_set(uint8_t output, int32_t value) {
    struct output *const set = &outputs[output];
    note_start(set, value);
    port_lock();
    if (switch_is_against(plug_of(set), value)) {
        put(set, plug_of(set)->safe, false);
    } else {
        put_anew(set, value);
    }
    port_unlock();
}

/* Begins an order without moving anything yet; the reason for which it is over at once, or
 * WIRE_NONE. */
static uint8_t begin(const struct order *order, const struct deadline *ends, uint32_t now) {
    struct output *const output = &outputs[order->output];
    const bool counts = order->until == UNTIL_EDGES;
    const bool level = order->until == UNTIL_LEVEL;
    order_begins(order->output, order->ticket, order->sensor, counts, now);
    output->ends = *ends;
    output->limit_ma = order->limit_ma;
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
        await(order->output);
    }
    if (level && sensor_is_active(order->sensor) == (order->count != 0)) {
        return REASON_LEVEL;
    }
    return switch_is_against(plug_of(output), order->value) ? REASON_SWITCH : WIRE_NONE;
}

void output_run(const struct order *order) {
    const uint32_t now = port_micros();
    const struct deadline ends = deadline_after(now, &order->limit);
    note_start(&outputs[order->output], order->value);
    port_lock();
    const uint8_t over = begin(order, &ends, now);
    if (over == WIRE_NONE) {
        put_anew(&outputs[order->output], order->value);
    }
    port_unlock();
    if (over != WIRE_NONE) {
        output_stop(order->output, over);
    }
}

void outputs_stop_motion(uint8_t reason) {
    for (uint8_t at = 0; at < output_count; at++) {
        if ((outputs[at].state & RUNNING) || kind_of(&outputs[at]) == KIND_MOTOR) {
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
        outputs[at].state &= (uint8_t)~VOICED;
        port_unlock();
    }
}

void output_forget(struct output *output, uint8_t channel) {
    memset(output, 0, sizeof *output);
    output->channel = channel;
    output->reason = NEVER;
    output->next = WIRE_NONE;
}

static void connect_pins(const struct output *output) {
    const struct channel *const channel = &channels[output->channel];
    switch (channel->kind) {
    case KIND_MOTOR:
        port_pin_drive(channel->plug.pin, channel->plug.safe > 0);
        port_pin_drive(channel->plug.second_pin, channel->plug.safe < 0);
        break;
    case KIND_OUTPUT:
        port_pin_drive(channel->plug.pin, channel->plug.safe != 0);
        break;
    case KIND_STRIP:
        port_pin_drive(channel->plug.pin, false);
        break;
    default:
        port_pin_drive(channel->unit.pin, false);
        break;
    }
}

void outputs_connect(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        struct output *const output = &outputs[at];
        output->state &= (uint8_t) ~(RUNNING | HELD_BACK | LIMITED);
        output->wanted = kind_of(output) == KIND_DICE ? 0 : plug_of(output)->safe;
        connect_pins(output);
    }
    last_started = WIRE_NONE;
    strips_have_changed();
}

void outputs_off(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        const struct channel *const channel = &channels[outputs[at].channel];
        if (channel->kind == KIND_DICE) {
            port_pin_release(channel->unit.pin);
            continue;
        }
        port_pin_release(channel->plug.pin);
        if (channel->kind == KIND_MOTOR) {
            port_pin_release(channel->plug.second_pin);
        }
    }
    output_count = 0;
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
        /* An order may last as long as its output may be on: its end comes first. */
        if ((output->state & RUNNING) && kind_of(output) != KIND_DICE &&
            deadline_passed(&output->ends, now)) {
            output_stop(at, output->state & PULSED ? REASON_DONE : REASON_TIME);
        }
        if (output->state & LIMITED) {
            latch_if_too_long(output, now);
        }
    }
}

static bool any_motor_runs(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        if (kind_of(&outputs[at]) == KIND_MOTOR && output_value(&outputs[at]) != 0) {
            return true;
        }
    }
    return false;
}

void outputs_draw(uint16_t milliamps) {
    for (uint8_t at = 0; at < output_count; at++) {
        const uint16_t most = outputs[at].limit_ma;
        if ((outputs[at].state & RUNNING) && most != 0 && milliamps > most) {
            output_stop(at, REASON_CURRENT);
        }
    }
    if (milliamps > MOST_MA && any_motor_runs()) {
        port_lock();
        faults_latch(FAULT_OVER_CURRENT, last_started);
        port_unlock();
    }
}

/* In which phases of ten a motor is on: to the nearest tenth, but never in none. */
static uint8_t phases_on(int32_t value) {
    const uint16_t drive = (uint16_t)(value < 0 ? -value : value);
    const uint8_t on = (uint8_t)((drive + FULL / PHASES / 2) / (FULL / PHASES));
    return on == 0 ? 1 : on;
}

static void modulate(const struct output *output) {
    port_lock();
    const int32_t value = output_value(output);
    if (value != 0 && !faults_any()) {
        write_motor(plug_of(output), phase < phases_on(value) ? value : 0);
    }
    port_unlock();
}

void outputs_modulate(void) {
    phase = (uint8_t)((phase + 1u) % PHASES);
    for (uint8_t at = 0; at < output_count; at++) {
        const int32_t value = output_value(&outputs[at]);
        if (kind_of(&outputs[at]) == KIND_MOTOR && value != 0 && value != FULL && value != -FULL) {
            modulate(&outputs[at]);
        }
    }
}
