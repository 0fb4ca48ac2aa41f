#include "setup.h"

#include "../port.h"
#include "axis.h"
#include "bits.h"
#include "crc.h"
#include "drives.h"
#include "memory.h"
#include "modules.h"
#include "outputs.h"
#include "records.h"
#include "reflex.h"
#include "stops.h"

#include <string.h>

/* CRC-16 of each record, from 0. CRCs are linear, so the table's CRC can be computed from these in
 * whichever order the records came. */
static uint16_t record_crc[MOST_CHANNELS];
static uint8_t came[(MOST_CHANNELS + 7u) / 8u]; /* a bit for each record since the last Commit */

static const struct refusal none = {0, WIRE_NONE};

void setup_begin(void) {
    memset(came, 0, sizeof came);
}

/* Records */

struct refusal setup_configure(const uint8_t *record) {
    const uint8_t index = wire_configure_index(record);
    const uint8_t wrong = record_is_wrong(record);
    if (wrong) {
        return (struct refusal){wrong, index};
    }
    const uint16_t crc = crc_over(0, record, WIRE_CONFIGURE_SIZE);
    if (index >= table_channels() || crc != record_crc[index]) {
        if (table_in_force()) {
            setup_drop();
        }
        if (!record_store(record)) {
            return (struct refusal){REFUSAL_OUT_OF_RANGE, index};
        }
        record_crc[index] = crc;
    }
    bits_add(came, index);
    return none;
}

/* Commit */

static bool is_complete(uint8_t count) {
    for (uint8_t index = 0; index < MOST_CHANNELS; index++) {
        if (bits_have(came, index) != (index < count)) {
            return false;
        }
    }
    return count != 0;
}

static uint16_t crc_of_records(uint8_t count) {
    uint16_t crc = CRC_SEED;
    for (uint8_t index = 0; index < count; index++) {
        for (uint8_t at = 0; at < WIRE_CONFIGURE_SIZE; at++) {
            crc = crc_add(crc, 0);
        }
        crc ^= record_crc[index];
    }
    return crc;
}

static bool is_sensor(uint8_t number, uint8_t count) {
    return number == WIRE_NONE || (number < count && channels[number].kind == KIND_SENSOR);
}

static bool stops_are_sensors(uint8_t count) {
    for (uint8_t index = 0; index < count; index++) {
        const struct channel *const channel = &channels[index];
        if (has_output(channel) && !(is_sensor(channel->plug.forward_stop, count) &&
                                     is_sensor(channel->plug.reverse_stop, count) &&
                                     is_sensor(channel->plug.hold, count))) {
            return false;
        }
        const struct rail *const rail = &channel->rail;
        if (channel->kind == KIND_AXIS &&
            !is_sensor(rail->reverse_stop < rail->forward_stop ? rail->reverse_stop
                                                               : rail->forward_stop,
                       count)) {
            return false;
        }
    }
    return true;
}

static bool there_is_room(uint8_t count) {
    uint8_t sensors = 0;
    uint8_t places = 0;
    for (uint8_t index = 0; index < count; index++) {
        const struct channel *const channel = &channels[index];
        sensors = (uint8_t)(sensors + (channel->kind == KIND_SENSOR));
        places = (uint8_t)(places + (has_output(channel) || channel->kind == KIND_DICE));
    }
    return sensors <= MOST_SENSORS && places <= MOST_OUTPUTS;
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
                memory_restore_sensor(&channel->sensor);
                reflex_connect(index);
            }
            break;
        case KIND_DICE:
            memory_restore_dome(index, &channel->unit);
            module_open(channel->unit.port);
            break;
        case KIND_READER:
            module_open(channel->unit.port);
            break;
        case KIND_ANALOG:
            port_analog_use(channel->unit.pin);
            break;
        default:
            break;
        }
    }
    port_analog_use(MOTOR_CURRENT_PIN);
}

struct refusal setup_commit(uint8_t count, uint16_t crc) {
    const struct refusal refused = {REFUSAL_OUT_OF_RANGE, WIRE_NONE};
    if (count > MOST_CHANNELS || !is_complete(count) || crc_of_records(count) != crc) {
        return refused;
    }
    memset(came, 0, sizeof came);
    if (table_channels() == count) {
        return none;
    }
    if (!stops_are_sensors(count)) {
        return (struct refusal){REFUSAL_WRONG_KIND, WIRE_NONE};
    }
    if (!there_is_room(count)) {
        return refused;
    }
    if (table_in_force()) {
        setup_drop();
    }
    for (uint8_t index = count; index < MOST_CHANNELS; index++) {
        record_leave_axis(index); /* channels of a longer table before this one */
    }
    memory_release_outputs();
    output_count = place_outputs(count);
    table_put_in_force(count, crc);
    wire_sensors(count);
    outputs_connect();
    drives_begin();
    axes_connect();
    open_inputs(count);
    return none;
}

void setup_drop(void) {
    stop_all(REASON_STOPPED, true);
    reflex_off();
    outputs_off();
    axes_off();
    table_put_out_of_force();
}

bool setup_is_whole(void) {
    return !table_in_force() || crc_of_records(table_channels()) == table_crc();
}
