#include "draft.h"

#include "bits.h"
#include "crc.h"
#include "limits.h"
#include "records.h"

#include <string.h>

struct draft draft;

static uint8_t came[(MOST_CHANNELS + 7u) / 8u]; /* one bit for each record */

void draft_begin(void) {
    memset(came, 0, sizeof came);
    for (uint8_t axis = 0; axis < AXES; axis++) {
        draft.axes[axis].channel = WIRE_NONE;
    }
}

/* Records */

/* The axis of a channel, or WIRE_NONE. For the channel WIRE_NONE: a free axis. */
static uint8_t axis_of(uint8_t index) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (draft.axes[axis].channel == index) {
            return axis;
        }
    }
    return WIRE_NONE;
}

uint8_t draft_add(const uint8_t *record) {
    const uint8_t index = wire_configure_index(record);
    const uint8_t wrong = record_is_wrong(record);
    const uint8_t limited = wrong ? wrong : limits_refuse(record);
    if (limited) {
        return limited;
    }
    uint8_t axis = axis_of(index);
    if (wire_configure_kind(record) == KIND_AXIS) {
        axis = axis != WIRE_NONE ? axis : axis_of(WIRE_NONE);
        if (axis == WIRE_NONE) {
            return REFUSAL_OUT_OF_RANGE;
        }
        record_read_axis(record, &draft.axes[axis]);
    } else if (axis != WIRE_NONE) {
        draft.axes[axis].channel = WIRE_NONE;
    }
    struct channel channel;
    record_read(record, &channel);
    memcpy(draft.channels[index], &channel, CONFIGURED);
    draft.crc[index] = crc_over(0, record, WIRE_CONFIGURE_SIZE);
    bits_add(came, index);
    return 0;
}

/* The whole draft */

struct channel draft_channel(uint8_t index) {
    struct channel channel = {0};
    memcpy(&channel, draft.channels[index], CONFIGURED);
    return channel;
}

/* The CRC of the first records. CRCs are linear, so the records may come in any order. */
static uint16_t crc_of_records(uint8_t count) {
    uint16_t crc = CRC_SEED;
    for (uint8_t index = 0; index < count; index++) {
        for (uint8_t at = 0; at < WIRE_CONFIGURE_SIZE; at++) {
            crc = crc_add(crc, 0);
        }
        crc ^= draft.crc[index];
    }
    return crc;
}

bool draft_complete(uint8_t count, uint16_t crc) {
    if (count == 0 || count > MOST_CHANNELS) {
        return false;
    }
    for (uint8_t index = 0; index < MOST_CHANNELS; index++) {
        if (bits_have(came, index) != (index < count)) {
            return false;
        }
    }
    return crc_of_records(count) == crc;
}

static bool is_sensor(uint8_t number, uint8_t count) {
    return number == WIRE_NONE || (number < count && draft_channel(number).kind == KIND_SENSOR);
}

bool draft_refers_to_sensors(uint8_t count) {
    for (uint8_t index = 0; index < count; index++) {
        const struct channel channel = draft_channel(index);
        const struct plug *const plug = &channel.plug;
        const struct rail *const rail = &channel.rail;
        if (has_output(&channel) &&
            !(is_sensor(plug->forward_stop, count) && is_sensor(plug->reverse_stop, count) &&
              is_sensor(plug->hold, count))) {
            return false;
        }
        if (channel.kind == KIND_AXIS && !is_sensor(home_switch(rail), count)) {
            return false;
        }
    }
    return true;
}

static bool uses_pin(const struct channel *channel, uint8_t pin) {
    switch (channel->kind) {
    case KIND_SENSOR:
        return channel->sensor.pin == pin;
    case KIND_AXIS:
        return channel->rail.step_pin == pin || channel->rail.direction_pin == pin;
    case KIND_MOTOR:
        return channel->plug.pin == pin || channel->plug.second_pin == pin;
    case KIND_OUTPUT:
    case KIND_STRIP:
        return channel->plug.pin == pin;
    case KIND_ANALOG:
        return channel->meter.pin == pin;
    default:
        return channel->unit.pin == pin;
    }
}

bool draft_keeps_safety_pins(uint8_t count) {
    for (uint8_t index = 0; index < count; index++) {
        const struct channel input = draft_channel(index);
        if (!is_safety_input(&input)) {
            continue;
        }
        for (uint8_t other = 0; other < count; other++) {
            const struct channel channel = draft_channel(other);
            if (other != index && uses_pin(&channel, input.sensor.pin)) {
                return false;
            }
        }
    }
    return true;
}

bool draft_has_curtain(uint8_t count) {
    bool found = !(limits.flags & LIMITS_EXIST) || !(limits.flags & NEEDS_CURTAIN);
    for (uint8_t index = 0; index < count && !found; index++) {
        const struct channel channel = draft_channel(index);
        found = channel.kind == KIND_SENSOR && (channel.flags & FLAG_CURTAIN) &&
                channel.sensor.pin == CURTAIN_PIN && !has_threshold(&channel) &&
                ((channel.flags & ACTIVE_HIGH) != 0) == ((limits.flags & CURTAIN_HIGH) != 0);
    }
    return found;
}

bool draft_fits(uint8_t count) {
    uint8_t sensors = 0;
    uint8_t places = 0;
    for (uint8_t index = 0; index < count; index++) {
        const struct channel channel = draft_channel(index);
        sensors = (uint8_t)(sensors + (channel.kind == KIND_SENSOR));
        places = (uint8_t)(places + (has_output(&channel) || channel.kind == KIND_DICE));
    }
    return sensors <= MOST_SENSORS && places <= MOST_OUTPUTS;
}
