#include "records.h"

#include "../port.h"
#include "state.h"

#define DEFAULT_STEP_NM 150000u

/* Checks */

/* One bit for each pin of the chip. */
#define PIN_BYTES ((PINS + 7u) / 8u)
static const uint8_t output_pins[PIN_BYTES] PORT_FLASH = OUTPUT_PINS;
static const uint8_t input_pins[PIN_BYTES] PORT_FLASH = INPUT_PINS;
static const uint8_t analog_pins[PIN_BYTES] PORT_FLASH = ANALOG_PINS;

static bool is_among(const uint8_t *pins, uint8_t pin) {
    return pin == WIRE_NONE ||
           (pin < PINS && (port_flash_u8(&pins[pin / 8u]) & (uint8_t)(1u << pin % 8u)) != 0);
}

static bool pins_exist(const uint8_t *record) {
    const uint8_t pin = wire_configure_pin(record);
    const uint8_t second = wire_configure_second_pin(record);
    switch (wire_configure_kind(record)) {
    case KIND_MOTOR:
    case KIND_AXIS:
        return is_among(output_pins, pin) && is_among(output_pins, second);
    case KIND_OUTPUT:
    case KIND_STRIP:
    case KIND_DICE:
        return is_among(output_pins, pin);
    case KIND_ANALOG:
        return is_among(analog_pins, pin);
    default:
        return is_among(input_pins, pin);
    }
}

static bool can_move(const uint8_t *record) {
    return wire_configure_low_um(record) < wire_configure_high_um(record) &&
           wire_configure_low_um(record) >= -MOST_UM && wire_configure_high_um(record) <= MOST_UM &&
           wire_configure_speed_um_s(record) != 0 && wire_configure_acceleration_um_s2(record) != 0;
}

/* A motor with a dead time is off while it is safe: a safe drive would have to wait for it. */
static bool dead_time_fits(const uint8_t *record) {
    return wire_configure_dead_ms(record) == 0 ||
           (wire_configure_kind(record) == KIND_MOTOR && wire_configure_safe(record) == 0);
}

uint8_t record_is_wrong(const uint8_t *record) {
    const uint8_t kind = wire_configure_kind(record);
    if (wire_configure_index(record) >= MOST_CHANNELS) {
        return REFUSAL_UNKNOWN_CHANNEL;
    }
    if (kind < KIND_MOTOR || kind > KIND_ANALOG) {
        return REFUSAL_WRONG_KIND;
    }
    if ((kind == KIND_AXIS && !can_move(record)) || !pins_exist(record) ||
        !dead_time_fits(record) || wire_configure_max_on_ms(record) > LONGEST_MS) {
        return REFUSAL_OUT_OF_RANGE;
    }
    return 0;
}

/* Storing */

static void store_plug(struct plug *plug, const uint8_t *record) {
    *plug = (struct plug){
        .pin = wire_configure_pin(record),
        .second_pin = wire_configure_second_pin(record),
        .forward_stop = wire_configure_forward_stop(record),
        .reverse_stop = wire_configure_reverse_stop(record),
        .hold = wire_configure_hold(record),
        .safe = wire_configure_safe(record),
        .max_on = wire_configure_max_on_ms(record) * UINT32_C(1000),
        .dead_ms = wire_configure_dead_ms(record),
    };
}

/* A sensor that stays on its pin keeps its count. */
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

/* The axis of a channel, or WIRE_NONE. For the channel WIRE_NONE: a free axis. */
static uint8_t axis_of(uint8_t index) {
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
    uint8_t flags = wire_configure_flags(record) &
                    (FLAG_GUARDED | FLAG_EMERGENCY | FLAG_CURTAIN | FLAG_FULL_ONLY);
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

void record_leave_axis(uint8_t index) {
    const uint8_t axis = axis_of(index);
    if (axis != WIRE_NONE) {
        axis_records[axis].channel = WIRE_NONE;
    }
}

bool record_store(const uint8_t *record) {
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
    record_leave_axis(index);
    if (channel->kind == KIND_SENSOR) {
        store_sensor(&channel->sensor, record, before == KIND_SENSOR);
    } else if (has_output(channel)) {
        store_plug(&channel->plug, record);
    } else {
        store_unit(&channel->unit, record, before == KIND_DICE && channel->kind == KIND_DICE);
    }
    return true;
}
