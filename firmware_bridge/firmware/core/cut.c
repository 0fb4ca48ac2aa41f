#include "cut.h"

#include "../port.h"
#include "outputs.h"

/* Preparation */

static void add_pin(struct port_cut *cut, uint8_t pin) {
    if (pin == NO_PIN || pin == cut->pins[0] || pin == cut->pins[1]) {
        return;
    }
    if (cut->pins[0] == NO_PIN) {
        cut->pins[0] = pin;
    } else if (cut->pins[1] == NO_PIN) {
        cut->pins[1] = pin;
    } else {
        cut->by_core = true;
    }
}

/* Adds the pins of a motor for these of its ways. Only a motor that is safe at 0 stops when its pins
 * are low; what other outputs do is left to `reflex_cut`. */
static void add_output(struct port_cut *cut, const struct output *output, bool forward,
                       bool reverse) {
    const struct plug *const plug = plug_of(output);
    if (output_kind(output) != KIND_MOTOR || plug->safe != 0) {
        cut->by_core = true;
        return;
    }
    if (forward) {
        add_pin(cut, plug->pin);
    }
    if (reverse) {
        add_pin(cut, plug->second_pin);
    }
}

static void add_awaiting(struct port_cut *cut, const struct sensor *sensor, bool active) {
    for (uint8_t at = sensor->awaited_by; at != WIRE_NONE; at = outputs[at].next) {
        const struct output *const output = &outputs[at];
        if (drive_ends(output, active)) {
            add_output(cut, output, !output->reverse, output->reverse);
        }
    }
}

/* A switch stops one way of a motor: the pin of the other way is low while it matters. */
static void add_stopped(struct port_cut *cut, uint8_t number, const struct sensor *sensor) {
    if (sensor->first_stopped == WIRE_NONE) {
        return;
    }
    for (uint8_t at = sensor->first_stopped; at <= sensor->last_stopped; at++) {
        const struct output *const output = &outputs[at];
        if (output_kind(output) == KIND_DICE) {
            continue;
        }
        const struct plug *const plug = plug_of(output);
        const bool holds = plug->hold == number;
        const bool forward = holds || plug->forward_stop == number;
        const bool reverse = holds || plug->reverse_stop == number;
        if (forward || reverse) {
            add_output(cut, output, forward, reverse);
        }
    }
}

void cut_prepare(uint8_t number) {
    const struct channel *const channel = &channels[number];
    const struct sensor *const sensor = &channel->sensor;
    const bool high = (channel->flags & ACTIVE_HIGH) != 0;
    const bool later = sensor->debounce_ms != 0;
    struct port_cut active = {sensor->pin, {NO_PIN, NO_PIN}, high, false, later};
    struct port_cut inactive = {sensor->pin, {NO_PIN, NO_PIN}, !high, false, later};
    add_awaiting(&active, sensor, true);
    add_stopped(&active, number, sensor);
    add_awaiting(&inactive, sensor, false);
    const bool at_active = active.by_core || active.pins[0] != NO_PIN;
    const bool at_inactive = inactive.by_core || inactive.pins[0] != NO_PIN;
    active.by_core = active.by_core || (at_active && at_inactive);
    port_cut(at_active ? &active : &inactive);
}

void cut_nothing(uint8_t pin) {
    const struct port_cut none = {pin, {NO_PIN, NO_PIN}, false, false, false};
    port_cut(&none);
}

/* What the port leaves to the core */

static bool sensor_stops(uint8_t number, const struct output *output) {
    if (output_kind(output) == KIND_DICE) {
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

/* May interrupt the main loop in the middle of a change to the lists that are read here: every
 * single store of the main loop leaves them consistent. */
void reflex_cut(uint8_t pin, bool high) {
    const uint8_t number = sensor_on[pin];
    if (number == WIRE_NONE) {
        return;
    }
    const bool active = is_active_level(&channels[number], high);
    cut_awaiting(channels[number].sensor.awaited_by, active);
    if (active && channels[number].sensor.first_stopped != WIRE_NONE) {
        cut_stopped(number, &channels[number].sensor);
    }
}
