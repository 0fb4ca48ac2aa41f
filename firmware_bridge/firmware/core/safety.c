#include "safety.h"

#include "../port.h"
#include "answers.h"
#include "faults.h"
#include "reflex.h"
#include "selftest.h"
#include "setup.h"
#include "state.h"
#include "stops.h"
#include "supply.h"
#include "trips.h"
#include "wire.h"

#define DIFFERS_FOR 10u /* checks, one each millisecond */

static uint8_t differing; /* checks one after the other that found a difference */

void safety_begin(void) {
    differing = 0;
}

/* The light curtain */

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

/* The curtain is checked, and the motion is announced to the reflex, under one lock: an interruption
 * that trips before is found here, one that trips later finds the motion. */
bool safety_begin_order(uint8_t type, const uint8_t *payload) {
    if (!names_guarded(type, payload)) {
        return true;
    }
    port_lock();
    const uint8_t broken = trips_active(FLAG_CURTAIN, true);
    if (broken != WIRE_NONE) {
        faults_latch(FAULT_LIGHT_CURTAIN, broken);
    } else {
        trips_expect_motion(true);
    }
    port_unlock();
    if (broken != WIRE_NONE) {
        answer_refused(REFUSAL_FAULT_LATCHED, broken);
    }
    return broken == WIRE_NONE;
}

void safety_end_order(void) {
    port_lock();
    trips_expect_motion(false);
    port_unlock();
}

/* Lost edges */

/* An input that is read in the middle of a pulse of noise, or of a change that the reflex has not
 * processed yet, differs once, and not in so many checks. */
static bool differs_for_long(void) {
    const bool stop_is_unknown = port_pin_level(EMERGENCY_PIN) && !faults_have(FAULT_EMERGENCY_STOP);
    differing = stop_is_unknown || trips_differ() ? (uint8_t)(differing + 1u) : 0;
    return differing == DIFFERS_FOR;
}

void safety_compare_levels(void) {
    if (!differs_for_long()) {
        return;
    }
    differing = 0;
    reflex_compare_levels();
    port_lock();
    if (port_pin_level(EMERGENCY_PIN)) {
        reflex_emergency();
    }
    port_unlock();
}

/* Faults */

static bool stop_is_pressed(void) {
    return port_pin_level(EMERGENCY_PIN) || trips_active(FLAG_EMERGENCY, false) != WIRE_NONE;
}

static bool both_switches_are_active(uint8_t number) {
    return number < table_channels() && has_output(&channels[number]) &&
           sensor_is_active(channels[number].plug.forward_stop) &&
           sensor_is_active(channels[number].plug.reverse_stop);
}

static bool persists(uint8_t code, uint8_t channel) {
    switch (code) {
    case FAULT_EMERGENCY_STOP:
        return stop_is_pressed();
    case FAULT_LIGHT_CURTAIN:
        return trips_active(FLAG_CURTAIN, false) != WIRE_NONE;
    case FAULT_LOW_SUPPLY:
        return supply_is_low();
    case FAULT_BOTH_SWITCHES:
        return both_switches_are_active(channel);
    case FAULT_CONFIGURATION:
        return !setup_is_whole();
    case FAULT_UNEXPECTED_MOTION:
        return selftest_reads_active(channel);
    case FAULT_SELF_TEST:
        return port_defects() != 0;
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

/* The emergency stop is read again, whether its fault is in the list or not. */
void safety_clear(void) {
    safety_stop_if_due(); /* a new fault stops everything before it is cleared */
    faults_clear(persists);
    port_lock();
    const bool pressed = stop_is_pressed();
    const uint8_t number = trips_active(FLAG_EMERGENCY, false);
    port_unlock();
    if (faults_any()) {
        answer_refused(REFUSAL_CAUSE_PERSISTS, faults_first_channel());
    } else if (pressed) {
        answer_refused(REFUSAL_CAUSE_PERSISTS,
                       number != WIRE_NONE ? number : sensor_on[EMERGENCY_PIN]);
    } else {
        answer_ok();
    }
}
