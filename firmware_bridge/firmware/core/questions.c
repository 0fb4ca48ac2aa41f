#include "questions.h"

#include "../port.h"
#include "answers.h"
#include "axis.h"
#include "outputs.h"
#include "pending.h"
#include "replies.h"
#include "state.h"

static void read_channel(uint8_t number) {
    const struct channel *const channel = known_channel(number);
    if (!channel) {
        return;
    }
    switch (channel->kind) {
    case KIND_SENSOR:
        answer_value((channel->sensor.state & ACTIVE) != 0);
        break;
    case KIND_AXIS:
        answer_value(axis_position_um(channel->rail.axis));
        break;
    case KIND_ANALOG:
        answer_value(port_analog_mv(channel->meter.pin));
        break;
    case KIND_DICE:
        answer_value(channel->unit.faces);
        break;
    case KIND_READER:
        answer_refused(REFUSAL_WRONG_KIND, number);
        break;
    default:
        answer_value(output_value(&outputs[channel->plug.output]));
        break;
    }
}

static void watch(const uint8_t *payload) {
    struct channel *const channel = channel_of_kind(wire_watch_channel(payload), KIND_SENSOR);
    if (!channel) {
        return;
    }
    port_lock();
    if (wire_watch_on(payload)) {
        channel->sensor.state |= WATCHED;
    } else {
        channel->sensor.state &= (uint8_t) ~(WATCHED | UNREPORTED);
    }
    port_unlock();
    answer_ok();
}

static uint32_t count_of(const struct sensor *sensor) {
    port_lock();
    const uint32_t count = sensor->count;
    port_unlock();
    return count;
}

static void count_channel(uint8_t number) {
    const struct channel *const channel = known_channel(number);
    if (!channel) {
        return;
    }
    if (channel->kind == KIND_SENSOR) {
        answer_value((int32_t)(count_of(&channel->sensor) & INT32_MAX));
    } else if (channel->kind == KIND_DICE) {
        answer_value((int32_t)(channel->unit.throws & INT32_MAX));
    } else {
        answer_refused(REFUSAL_WRONG_KIND, number);
    }
}

static void scan(uint8_t number) {
    const struct channel *const channel = known_channel(number);
    if (!channel) {
        return;
    }
    if (channel->kind != KIND_READER) {
        answer_refused(REFUSAL_WRONG_KIND, number);
        return;
    }
    pending_scan(channel->unit.port);
}

/* The count of an order that was cut short includes later activations, such as that of a tile that
 * was within the sensor's debounce time. */
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
    return output && output->reason != NO_ORDER_YET ? output : 0;
}

static void recall(uint8_t number) {
    uint8_t payload[WIRE_RECALLED_SIZE];
    const struct channel *const channel = known_channel(number);
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
    replies_send(WIRE_RECALLED, payload);
}

void questions_ask(uint8_t type, const uint8_t *payload) {
    if (!table_is_there()) {
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
