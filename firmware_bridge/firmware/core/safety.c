#include "safety.h"

#include "../port.h"
#include "answers.h"
#include "faults.h"
#include "state.h"
#include "stops.h"
#include "supply.h"
#include "trips.h"
#include "wire.h"

/* Safety inputs */

/* The first sensor with this flag that is active now, or WIRE_NONE. `settled`: for so long that it
 * is no noise. */
static uint8_t active_input(uint8_t flag, bool settled) {
    for (uint8_t number = 0; number < table_channels(); number++) {
        const struct channel *const channel = &channels[number];
        if (channel->kind == KIND_SENSOR && (channel->flags & flag) &&
            (channel->sensor.state & RAW) && !(settled && trip_is_filtered(number))) {
            return number;
        }
    }
    return WIRE_NONE;
}

static bool is_guarded(uint8_t number) {
    return number < table_channels() && (channels[number].flags & FLAG_GUARDED);
}

static bool names_guarded(uint8_t type, const uint8_t *payload) {
    if (type == WIRE_MOVE) {
        return is_guarded(wire_move_first(payload)) || is_guarded(wire_move_second(payload)) ||
               is_guarded(wire_move_third(payload));
    }
    return is_guarded(payload[0]); /* the first byte of every other order is its channel */
}

bool safety_permits(uint8_t type, const uint8_t *payload) {
    const uint8_t broken = active_input(FLAG_CURTAIN, true);
    if (broken == WIRE_NONE || !names_guarded(type, payload)) {
        return true;
    }
    port_lock();
    faults_latch(FAULT_LIGHT_CURTAIN, broken);
    port_unlock();
    answer_refused(REFUSAL_FAULT_LATCHED, broken);
    return false;
}

/* Faults */

static bool both_switches_are_active(uint8_t number) {
    return number < table_channels() && has_output(&channels[number]) &&
           sensor_is_active(channels[number].plug.forward_stop) &&
           sensor_is_active(channels[number].plug.reverse_stop);
}

static bool persists(uint8_t code, uint8_t channel) {
    switch (code) {
    case FAULT_EMERGENCY_STOP:
        return port_pin_level(EMERGENCY_PIN) || active_input(FLAG_EMERGENCY, false) != WIRE_NONE;
    case FAULT_LIGHT_CURTAIN:
        return active_input(FLAG_CURTAIN, false) != WIRE_NONE;
    case FAULT_LOW_SUPPLY:
        return supply_is_low();
    case FAULT_BOTH_SWITCHES:
        return both_switches_are_active(channel);
    default:
        return false;
    }
}

void safety_stop_if_due(void) {
    bool without_ramp;
    if (faults_take_release(&without_ramp)) {
        stop_all(REASON_FAULT, without_ramp);
    }
}

void safety_clear(void) {
    safety_stop_if_due(); /* a new fault stops everything before it is cleared */
    faults_clear(persists);
    if (faults_any()) {
        answer_refused(REFUSAL_CAUSE_PERSISTS, faults_first_channel());
    } else {
        answer_ok();
    }
}
