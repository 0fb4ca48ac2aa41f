/* The time-critical part of the reflex: takes the power from the motors that an edge stops. It
 * writes pins only; reflex.c does the rest of the processing afterwards.
 *
 * It is a separate file because it is compiled for speed, and most other files for size. */
#include "../port.h"
#include "drives.h"
#include "outputs.h"
#include "reflex.h"
#include "state.h"

static bool sensor_stops(uint8_t number, const struct output *output) {
    if (channels[output->channel].kind == KIND_DICE) {
        return false;
    }
    const struct plug *const plug = plug_of(output);
    return plug->hold == number || (plug->forward_stop == number && output->wanted > 0) ||
           (plug->reverse_stop == number && output->wanted < 0);
}

static void cut_stopped(uint8_t number, const struct sensor *sensor) {
    for (uint8_t at = sensor->first_stopped; at <= sensor->last_stopped; at++) {
        if (sensor_stops(number, &outputs[at])) {
            output_cut(&outputs[at]);
        }
    }
}

static void cut_awaiting(uint8_t at, bool active) {
    while (at != WIRE_NONE) {
        const struct output *const output = &outputs[at];
        if (drive_ends(output, active)) {
            output_cut(output);
        }
        at = output->next;
    }
}

static void cut_both(uint8_t number) {
    cut_awaiting(channels[number].sensor.awaited_by, true);
    cut_stopped(number, &channels[number].sensor);
}

/* May interrupt the main loop in the middle of a change to the lists that are read here: every
 * single store of the main loop leaves them consistent. */
void reflex_cut(uint8_t pin, bool high) {
    const uint8_t number = sensor_on[pin];
    if (number == WIRE_NONE || channels[number].sensor.debounce_ms != 0) {
        return;
    }
    const bool active = is_active_level(&channels[number], high);
    if (active && channels[number].sensor.first_stopped != WIRE_NONE) {
        cut_both(number);
    } else {
        cut_awaiting(channels[number].sensor.awaited_by, active);
    }
}
