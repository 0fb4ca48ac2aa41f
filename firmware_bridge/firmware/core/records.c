#include "records.h"

#include "../port.h"

#define DEFAULT_STEP_NM 150000u
#define MOST_STEP_NM 10000000u /* so that a position and half a step fit into 31 bits of nanometres */

_Static_assert(STEPS_A_SECOND % 1000u == 0 && MOST_STEP_NM / 1000u <= UINT32_MAX / STEPS_A_SECOND,
               "the check of the step rate is exact, and cannot overflow");

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

/* In such a record `low_mv`, `high_mv` and `dead_ms` have another meaning. */
static bool limits_current(const uint8_t *record) {
    return wire_configure_kind(record) == KIND_ANALOG &&
           (wire_configure_flags(record) & FLAG_CURRENT);
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
        return is_among(analog_pins, pin) ||
               (limits_current(record) && pin == MOTOR_CURRENT_PIN);
    default:
        return is_among(input_pins, pin);
    }
}

static uint32_t step_nm_of(const uint8_t *record) {
    const uint32_t step = wire_configure_step_nm(record);
    return step != 0 ? step : DEFAULT_STEP_NM;
}

/* Faster axes would make fewer steps than ordered. With every axis at this rate no step is late,
 * however often the inputs change. */
static bool steps_are_in_time(const uint8_t *record) {
    const uint32_t step_nm = step_nm_of(record);
    return step_nm <= MOST_STEP_NM &&
           wire_configure_speed_um_s(record) <= STEPS_A_SECOND / 1000u * step_nm;
}

static bool can_move(const uint8_t *record) {
    return steps_are_in_time(record) && wire_configure_low_um(record) < wire_configure_high_um(record) &&
           wire_configure_low_um(record) >= -MOST_UM && wire_configure_high_um(record) <= MOST_UM &&
           wire_configure_speed_um_s(record) != 0 && wire_configure_acceleration_um_s2(record) != 0;
}

/* A motor with a dead time is off while it is safe: a safe drive would have to wait for it. */
static bool dead_time_fits(const uint8_t *record) {
    return limits_current(record) || wire_configure_dead_ms(record) == 0 ||
           (wire_configure_kind(record) == KIND_MOTOR && wire_configure_safe(record) == 0);
}

static bool thresholds_fit(const uint8_t *record) {
    const uint16_t low = wire_configure_low_mv(record);
    const uint16_t high = wire_configure_high_mv(record);
    if (limits_current(record)) {
        return low != 0 && high != 0 && high < ANALOG_MOST_MV;
    }
    return (low == 0 && high == 0) || (wire_configure_kind(record) == KIND_SENSOR && low < high);
}

/* An analogue input is measured too seldom to stop anything in time, and an input without a pin, or
 * of another kind, is not sampled at all. */
static bool safety_input_fits(const uint8_t *record) {
    const uint8_t safety = wire_configure_flags(record) & (FLAG_EMERGENCY | FLAG_CURTAIN);
    return safety == 0 ||
           (wire_configure_kind(record) == KIND_SENSOR && wire_configure_pin(record) != NO_PIN &&
            wire_configure_low_mv(record) == 0 && wire_configure_high_mv(record) == 0);
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
        !dead_time_fits(record) || !thresholds_fit(record) ||
        !safety_input_fits(record) ||
        wire_configure_max_on_ms(record) > LONGEST_MS) {
        return REFUSAL_OUT_OF_RANGE;
    }
    return 0;
}

/* Reading */

static void read_plug(struct plug *plug, const uint8_t *record) {
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

static uint8_t flags_of(const uint8_t *record) {
    uint8_t flags = wire_configure_flags(record) &
                    (FLAG_GUARDED | FLAG_EMERGENCY | FLAG_CURTAIN | FLAG_FULL_ONLY | FLAG_CURRENT);
    if (wire_configure_active_high(record)) {
        flags |= ACTIVE_HIGH;
    }
    return flags;
}

void record_read(const uint8_t *record, struct channel *channel) {
    *channel = (struct channel){.kind = wire_configure_kind(record), .flags = flags_of(record)};
    switch (channel->kind) {
    case KIND_SENSOR:
        channel->sensor.pin = wire_configure_pin(record);
        channel->sensor.debounce_ms = wire_configure_debounce_ms(record);
        channel->sensor.low_mv = wire_configure_low_mv(record);
        channel->sensor.high_mv = wire_configure_high_mv(record);
        break;
    case KIND_MOTOR:
    case KIND_OUTPUT:
    case KIND_STRIP:
        read_plug(&channel->plug, record);
        break;
    case KIND_AXIS:
        channel->rail.step_pin = wire_configure_pin(record);
        channel->rail.direction_pin = wire_configure_second_pin(record);
        channel->rail.forward_stop = wire_configure_forward_stop(record);
        channel->rail.reverse_stop = wire_configure_reverse_stop(record);
        break;
    case KIND_ANALOG:
        channel->meter.pin = wire_configure_pin(record);
        channel->meter.motor = wire_configure_second_pin(record);
        channel->meter.ma_per_volt = wire_configure_low_mv(record);
        channel->meter.limit_mv = wire_configure_high_mv(record);
        channel->meter.inrush_ms = wire_configure_dead_ms(record);
        break;
    default:
        channel->unit.pin = wire_configure_pin(record);
        channel->unit.port = wire_configure_second_pin(record);
        channel->unit.shake = wire_configure_max_on_ms(record) * UINT32_C(1000);
        break;
    }
}

void record_read_axis(const uint8_t *record, struct axis_record *axis) {
    *axis = (struct axis_record){
        .channel = wire_configure_index(record),
        .low_um = wire_configure_low_um(record),
        .high_um = wire_configure_high_um(record),
        .speed_um_s = wire_configure_speed_um_s(record),
        .acceleration_um_s2 = wire_configure_acceleration_um_s2(record),
        .step_nm = step_nm_of(record),
    };
}
