#include "setup.h"

#include "../port.h"
#include "axis.h"
#include "crc.h"
#include "draft.h"
#include "drives.h"
#include "faults.h"
#include "kept.h"
#include "levels.h"
#include "memory.h"
#include "modules.h"
#include "outputs.h"
#include "reflex.h"
#include "stops.h"

#include <stddef.h>
#include <string.h>

static uint16_t memory_crc; /* of the bytes in which the table in force is kept */

/* A check of these bytes under way: the next channel, and the CRC of those before it. */
static uint8_t checked;
static uint16_t checked_crc;

void setup_begin(void) {
    draft_begin();
}

struct refusal setup_configure(const uint8_t *record) {
    return (struct refusal){draft_add(record), wire_configure_index(record)};
}

/* The bytes of the table in force */

/* Bytes of a channel that come from its record. */
static uint8_t configured_size(uint8_t kind) {
    switch (kind) {
    case KIND_SENSOR:
        return offsetof(struct channel, sensor.state);
    case KIND_MOTOR:
    case KIND_OUTPUT:
    case KIND_STRIP:
        return offsetof(struct channel, plug.output);
    case KIND_AXIS:
        return offsetof(struct channel, rail.axis);
    case KIND_ANALOG:
        return offsetof(struct channel, meter.mean);
    default:
        return offsetof(struct channel, unit.output);
    }
}

/* Bytes of a channel that nothing changes while its table is in force: also the index that follows
 * in most kinds, of its output or axis. */
static uint8_t constant_size(uint8_t kind) {
    const uint8_t size = configured_size(kind);
    return kind == KIND_SENSOR || kind == KIND_ANALOG ? size : (uint8_t)(size + sizeof(uint8_t));
}

static uint16_t crc_with_channel(uint16_t crc, uint8_t index) {
    const struct channel *const channel = &channels[index];
    return crc_over(crc, (const uint8_t *)channel, constant_size(channel->kind));
}

static uint16_t crc_with_axes(uint16_t crc) {
    return crc_over(crc, (const uint8_t *)axis_records, (uint8_t)sizeof axis_records);
}

static uint16_t crc_of_memory(void) {
    uint16_t crc = CRC_SEED;
    for (uint8_t index = 0; index < table_channels(); index++) {
        crc = crc_with_channel(crc, index);
    }
    return crc_with_axes(crc);
}

static void begin_check(void) {
    checked = 0;
    checked_crc = CRC_SEED;
}

/* One channel for each call, so that a call is short. */
void setup_check(void) {
    if (checked < table_channels()) {
        checked_crc = crc_with_channel(checked_crc, checked++);
        return;
    }
    if (crc_with_axes(checked_crc) != memory_crc) {
        port_lock();
        faults_latch(FAULT_CONFIGURATION, WIRE_NONE);
        port_unlock();
    }
    begin_check();
}

/* Adoption of the draft */

/* A sensor that stays on its pin keeps its count, and a dome its throws. */
static void adopt_channel(uint8_t index) {
    struct channel *const channel = &channels[index];
    const struct channel before = *channel;
    *channel = draft_channel(index);
    if (channel->kind != before.kind) {
        return;
    }
    if (channel->kind == KIND_SENSOR && channel->sensor.pin == before.sensor.pin) {
        channel->sensor.state = before.sensor.state;
        channel->sensor.count = before.sensor.count;
        channel->sensor.since = before.sensor.since;
    } else if (channel->kind == KIND_DICE) {
        channel->unit.faces = before.unit.faces;
        channel->unit.throws = before.unit.throws;
    }
}

static uint8_t free_axis(void) {
    uint8_t axis = 0;
    while (axis_records[axis].channel != WIRE_NONE) {
        axis++;
    }
    return axis;
}

static void adopt_axis(const struct axis_record *record, uint8_t axis) {
    axis_records[axis] = *record;
    channels[record->channel].rail.axis = axis;
}

/* An axis that the board already has keeps its index, and with it its position; the others get the
 * free ones. */
static void adopt_axes(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        axis_records[axis].channel = WIRE_NONE;
    }
    for (uint8_t from = 0; from < AXES; from++) {
        const struct axis_record *const record = &draft.axes[from];
        const uint8_t axis = axis_of_channel(record->channel);
        if (record->channel != WIRE_NONE && axis != WIRE_NONE) {
            adopt_axis(record, axis);
        }
    }
    for (uint8_t from = 0; from < AXES; from++) {
        const struct axis_record *const record = &draft.axes[from];
        if (record->channel != WIRE_NONE && axis_of_channel(record->channel) == WIRE_NONE) {
            adopt_axis(record, free_axis());
        }
    }
}

/* Moves the output that has this channel's last order to this index, by a swap. */
static void take_place(uint8_t place, uint8_t channel) {
    uint8_t from = MOST_OUTPUTS - 1;
    while (from > place && outputs[from].channel != channel) {
        from--;
    }
    if (outputs[from].channel != channel) {
        for (from = MOST_OUTPUTS - 1; from > place && outputs[from].channel != WIRE_NONE; from--) {
        }
    }
    const struct output moved = outputs[from];
    outputs[from] = outputs[place];
    outputs[place] = moved;
    if (moved.channel != channel) {
        output_forget(&outputs[place], channel);
    }
    outputs[place].next = WIRE_NONE;
}

static uint8_t place_outputs(uint8_t count) {
    uint8_t place = 0;
    for (uint8_t index = 0; index < count; index++) {
        struct channel *const channel = &channels[index];
        if (has_output(channel)) {
            channel->plug.output = place;
        } else if (channel->kind == KIND_DICE) {
            channel->unit.output = place;
        } else {
            continue;
        }
        take_place(place++, index);
    }
    return place;
}

static void add_stopped(uint8_t number, uint8_t output) {
    if (number == WIRE_NONE) {
        return;
    }
    struct sensor *const sensor = &channels[number].sensor;
    if (sensor->first_stopped == WIRE_NONE) {
        sensor->first_stopped = output;
    }
    sensor->last_stopped = output;
}

static void wire_sensors(uint8_t count) {
    for (uint8_t index = 0; index < count; index++) {
        if (channels[index].kind == KIND_SENSOR) {
            channels[index].sensor.awaited_by = WIRE_NONE;
            channels[index].sensor.first_stopped = WIRE_NONE;
            channels[index].sensor.last_stopped = WIRE_NONE;
        }
    }
    for (uint8_t index = 0; index < count; index++) {
        const struct channel *const channel = &channels[index];
        if (has_output(channel)) {
            add_stopped(channel->plug.forward_stop, channel->plug.output);
            add_stopped(channel->plug.reverse_stop, channel->plug.output);
            add_stopped(channel->plug.hold, channel->plug.output);
        }
    }
}

static void open_inputs(uint8_t count) {
    for (uint8_t index = 0; index < count; index++) {
        struct channel *const channel = &channels[index];
        switch (channel->kind) {
        case KIND_SENSOR:
            if (channel->sensor.pin != WIRE_NONE) {
                kept_restore_sensor(&channel->sensor);
                if (has_threshold(channel)) {
                    channel->sensor.state &= (uint8_t)~WATCHED; /* connected when measured */
                } else {
                    reflex_connect(index);
                }
            }
            break;
        case KIND_DICE:
            kept_restore_dome(index, &channel->unit);
            module_open(channel->unit.port);
            break;
        case KIND_READER:
            module_open(channel->unit.port);
            break;
        case KIND_ANALOG:
            port_analog_use(channel->meter.pin);
            break;
        default:
            break;
        }
        port_watchdog_kick(); /* with inputs that change all the time, all channels take too long */
    }
    levels_connect(port_micros());
}

static void adopt(uint8_t count, uint16_t crc) {
    memory_release_outputs();
    for (uint8_t index = 0; index < count; index++) {
        adopt_channel(index);
        port_watchdog_kick();
    }
    adopt_axes();
    output_count = place_outputs(count);
    table_put_in_force(count, crc);
    memory_crc = crc_of_memory();
    begin_check();
    wire_sensors(count);
    port_watchdog_kick();
    outputs_connect();
    axes_connect();
    open_inputs(count);
    kept_take_safe_levels();
}

/* Whether the table in force has the bytes of the draft. */
static bool draft_is_in_force(uint8_t count) {
    if (table_channels() != count || !setup_is_whole()) {
        return false;
    }
    for (uint8_t index = 0; index < count; index++) {
        const uint8_t *const drafted = draft.channels[index];
        if (memcmp(drafted, &channels[index], configured_size(channels[index].kind)) != 0) {
            return false;
        }
    }
    for (uint8_t axis = 0; axis < AXES; axis++) {
        const struct axis_record *const record = &draft.axes[axis];
        if (record->channel != WIRE_NONE &&
            memcmp(record, &axis_records[channels[record->channel].rail.axis], sizeof *record)) {
            return false;
        }
    }
    return true;
}

static uint8_t commit(uint8_t count, uint16_t crc) {
    if (draft_is_in_force(count)) {
        return 0; /* it is in force already */
    }
    port_watchdog_kick();
    if (!draft_refers_to_sensors(count)) {
        return REFUSAL_WRONG_KIND;
    }
    if (!draft_fits(count) || !draft_keeps_safety_pins(count)) {
        return REFUSAL_OUT_OF_RANGE;
    }
    if (!draft_has_curtain(count)) {
        return REFUSAL_NO_CURTAIN;
    }
    if (table_in_force()) {
        setup_drop();
    }
    adopt(count, crc);
    return 0;
}

struct refusal setup_commit(uint8_t count, uint16_t crc) {
    if (!draft_complete(count, crc)) {
        return (struct refusal){REFUSAL_OUT_OF_RANGE, WIRE_NONE};
    }
    const uint8_t reason = commit(count, crc);
    draft_begin();
    return (struct refusal){reason, WIRE_NONE};
}

void setup_drop(void) {
    stop_all(REASON_STOPPED, true);
    kept_take_counts();
    port_watchdog_kick();
    reflex_off();
    port_watchdog_kick();
    outputs_off();
    axes_off();
    table_put_out_of_force();
}

bool setup_is_whole(void) {
    return !table_in_force() || crc_of_memory() == memory_crc;
}
