#include "table.h"

#include "../port.h"
#include "axes.h"
#include "bits.h"
#include "board.h"
#include "crc.h"
#include "memory.h"
#include "modules.h"
#include "outputs.h"
#include "reflex.h"

#include <string.h>

#define DEFAULT_STEP_NM 150000u
#define MOTOR_CURRENT_PIN 69u
#define FIRST_FREE_PIN 2u /* 0 and 1 are the link */

struct channel channels[MOST_CHANNELS];

/* CRC-16 of each record from 0: CRCs are linear, so they make up the table's whichever order the
 * records came in. */
static uint16_t record_crc[MOST_CHANNELS];
static uint8_t came[(MOST_CHANNELS + 7u) / 8u]; /* a bit a record since the last Commit */
static uint8_t in_force;                        /* channels of the table in force */
static uint16_t crc_in_force;

static const struct refusal none = {0, WIRE_NONE};

void table_begin(void) {
    memset(channels, 0, sizeof channels);
    memset(came, 0, sizeof came);
    in_force = 0;
    crc_in_force = 0;
}

bool table_in_force(void) {
    return in_force != 0;
}

uint8_t table_channels(void) {
    return in_force;
}

uint16_t table_crc(void) {
    return crc_in_force;
}

/* Records */

static bool is_output_pin(uint8_t pin) {
    return pin == WIRE_NONE ||
           (pin >= FIRST_FREE_PIN && pin < PINS && pin != EMERGENCY_PIN && pin != CURTAIN_PIN);
}

static bool is_input_pin(uint8_t pin) {
    return pin == WIRE_NONE || (pin >= FIRST_FREE_PIN && pin < PINS);
}

static bool pins_exist(const uint8_t *record) {
    const uint8_t pin = wire_configure_pin(record);
    const uint8_t second = wire_configure_second_pin(record);
    switch (wire_configure_kind(record)) {
    case KIND_MOTOR:
    case KIND_AXIS:
        return is_output_pin(pin) && is_output_pin(second);
    case KIND_OUTPUT:
    case KIND_STRIP:
    case KIND_DICE:
        return is_output_pin(pin);
    default:
        return is_input_pin(pin);
    }
}

static bool can_move(const uint8_t *record) {
    return wire_configure_low_um(record) < wire_configure_high_um(record) &&
           wire_configure_low_um(record) >= -MOST_UM && wire_configure_high_um(record) <= MOST_UM &&
           wire_configure_speed_um_s(record) != 0 && wire_configure_acceleration_um_s2(record) != 0;
}

static uint8_t check(const uint8_t *record) {
    const uint8_t kind = wire_configure_kind(record);
    if (wire_configure_index(record) >= MOST_CHANNELS) {
        return REFUSAL_UNKNOWN_CHANNEL;
    }
    if (kind < KIND_MOTOR || kind > KIND_ANALOG) {
        return REFUSAL_WRONG_KIND;
    }
    if ((kind == KIND_AXIS && !can_move(record)) || !pins_exist(record) ||
        wire_configure_max_on_ms(record) > LONGEST_MS) {
        return REFUSAL_OUT_OF_RANGE;
    }
    return 0;
}

static void store_plug(struct plug *plug, const uint8_t *record) {
    *plug = (struct plug){
        .pin = wire_configure_pin(record),
        .second_pin = wire_configure_second_pin(record),
        .forward_stop = wire_configure_forward_stop(record),
        .reverse_stop = wire_configure_reverse_stop(record),
        .hold = wire_configure_hold(record),
        .safe = wire_configure_safe(record),
        .max_on = wire_configure_max_on_ms(record) * UINT32_C(1000),
    };
}

/* A sensor that stays on its pin keeps what it has counted. */
static void store_sensor(struct sensor *sensor, const uint8_t *record, bool was_sensor) {
    const uint8_t pin = wire_configure_pin(record);
    if (!was_sensor || sensor->pin != pin) {
        *sensor = (struct sensor){.pin = pin};
    }
    sensor->debounce_ms = wire_configure_debounce_ms(record);
}

static void store_unit(struct unit *unit, const uint8_t *record, bool was_dome) {
    if (!was_dome) {
        *unit = (struct unit){0};
    }
    unit->pin = wire_configure_pin(record);
    unit->port = wire_configure_second_pin(record);
    unit->shake = wire_configure_max_on_ms(record) * UINT32_C(1000);
}

/* The axis of a channel, or WIRE_NONE; of the channel WIRE_NONE: a free one. */
static PORT_ONCE uint8_t axis_of(uint8_t index) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        if (axis_records[axis].channel == index) {
            return axis;
        }
    }
    return WIRE_NONE;
}

static uint8_t axis_place(uint8_t index) {
    const uint8_t axis = axis_of(index);
    return axis != WIRE_NONE ? axis : axis_of(WIRE_NONE);
}

static uint32_t step_nm_of(const uint8_t *record) {
    const uint32_t step = wire_configure_step_nm(record);
    return step != 0 ? step : DEFAULT_STEP_NM;
}

static uint8_t flags_of(const uint8_t *record) {
    uint8_t flags = wire_configure_flags(record) & (FLAG_GUARDED | FLAG_EMERGENCY | FLAG_CURTAIN);
    if (wire_configure_active_high(record)) {
        flags |= ACTIVE_HIGH;
    }
    return flags;
}

static void store_rail(struct rail *rail, const uint8_t *record, uint8_t axis) {
    *rail = (struct rail){
        .step_pin = wire_configure_pin(record),
        .direction_pin = wire_configure_second_pin(record),
        .forward_stop = wire_configure_forward_stop(record),
        .reverse_stop = wire_configure_reverse_stop(record),
        .axis = axis,
    };
    axis_records[axis] = (struct axis_record){
        .channel = wire_configure_index(record),
        .low_um = wire_configure_low_um(record),
        .high_um = wire_configure_high_um(record),
        .speed_um_s = wire_configure_speed_um_s(record),
        .acceleration_um_s2 = wire_configure_acceleration_um_s2(record),
        .step_nm = step_nm_of(record),
    };
}

static PORT_ONCE void leave_axis(uint8_t index) {
    const uint8_t axis = axis_of(index);
    if (axis != WIRE_NONE) {
        axis_records[axis].channel = WIRE_NONE;
    }
}

static bool store(const uint8_t *record) {
    const uint8_t index = wire_configure_index(record);
    struct channel *const channel = &channels[index];
    const uint8_t before = channel->kind;
    channel->kind = wire_configure_kind(record);
    channel->flags = flags_of(record);
    if (channel->kind == KIND_AXIS) {
        const uint8_t axis = axis_place(index);
        if (axis == WIRE_NONE) {
            return false;
        }
        store_rail(&channel->rail, record, axis);
        return true;
    }
    leave_axis(index);
    if (channel->kind == KIND_SENSOR) {
        store_sensor(&channel->sensor, record, before == KIND_SENSOR);
    } else if (has_output(channel)) {
        store_plug(&channel->plug, record);
    } else {
        store_unit(&channel->unit, record, before == KIND_DICE && channel->kind == KIND_DICE);
    }
    return true;
}

struct refusal table_configure(const uint8_t *record) {
    const uint8_t index = wire_configure_index(record);
    const uint8_t wrong = check(record);
    if (wrong) {
        return (struct refusal){wrong, index};
    }
    const uint16_t crc = crc_over(0, record, WIRE_CONFIGURE_SIZE);
    if (index >= in_force || crc != record_crc[index]) {
        if (table_in_force()) {
            board_drop_table();
        }
        if (!store(record)) {
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

/* Swaps the output that remembers this channel's last order into its place. */
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

static void react(uint8_t number, uint8_t output) {
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
            react(channel->plug.forward_stop, channel->plug.output);
            react(channel->plug.reverse_stop, channel->plug.output);
            react(channel->plug.hold, channel->plug.output);
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

struct refusal table_commit(uint8_t count, uint16_t crc) {
    const struct refusal refused = {REFUSAL_OUT_OF_RANGE, WIRE_NONE};
    if (count > MOST_CHANNELS || !is_complete(count) || crc_of_records(count) != crc) {
        return refused;
    }
    memset(came, 0, sizeof came);
    if (in_force == count) {
        return none;
    }
    if (!stops_are_sensors(count)) {
        return (struct refusal){REFUSAL_WRONG_KIND, WIRE_NONE};
    }
    if (!there_is_room(count)) {
        return refused;
    }
    if (table_in_force()) {
        board_drop_table();
    }
    for (uint8_t index = count; index < MOST_CHANNELS; index++) {
        leave_axis(index); /* of a longer table before */
    }
    memory_let_rests_go();
    output_count = place_outputs(count);
    in_force = count;
    crc_in_force = crc;
    wire_sensors(count);
    outputs_connect();
    axes_connect();
    open_inputs(count);
    return none;
}

void table_drop(void) {
    reflex_off();
    outputs_off();
    axes_off();
    in_force = 0;
    crc_in_force = 0;
}

bool table_is_whole(void) {
    return in_force == 0 || crc_of_records(in_force) == crc_in_force;
}
