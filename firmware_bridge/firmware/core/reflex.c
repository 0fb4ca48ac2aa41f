#include "reflex.h"

#include "../port.h"
#include "axes.h"
#include "cut.h"
#include "drives.h"
#include "events.h"
#include "faults.h"
#include "outputs.h"
#include "state.h"
#include "trips.h"

#include <string.h>

static volatile uint8_t settling[MOST_SENSORS]; /* sensors that settle, the first to end is first */
static volatile uint8_t settling_count;
/* A settling sensor whose debounce time is over: its motors are cut, or it has changed again, so the
 * report of that change decides. */
enum { CUT = 1, CHANGED = 2 };
static volatile uint8_t due[MOST_CHANNELS];
static volatile bool unreported; /* some sensor is UNREPORTED */

/* Effects of a settled sensor */

static void report_edge(uint8_t number, struct sensor *sensor, uint32_t at) {
    uint8_t *const payload = events_have_room() ? events_add(WIRE_EDGE_SEEN) : 0;
    if (payload) {
        wire_edge_seen(payload, number, (sensor->state & ACTIVE) != 0, at, sensor->count);
        sensor->state &= (uint8_t)~UNREPORTED;
    } else {
        sensor->state |= UNREPORTED;
        unreported = true;
    }
}

/* Ends the drives that wait for this edge, and counts it for the others. */
static void end_awaiting(uint8_t number, const struct sensor *sensor) {
    const bool active = (sensor->state & ACTIVE) != 0;
    bool prepare = false;
    uint8_t at = sensor->awaited_by;
    while (at != WIRE_NONE) {
        struct output *const output = &outputs[at];
        const uint8_t next = output->next;
        const bool level = (output->state & AWAITS_LEVEL) != 0;
        const bool ends = drive_ends(output, active);
        if (active && !level) {
            output->counted++;
        }
        if (ends) {
            output_end(at, level ? REASON_LEVEL : REASON_EDGES);
        } else if (active && drive_ends(output, true)) {
            prepare = true; /* the next activation ends this drive */
        }
        at = next;
    }
    if (prepare) {
        cut_prepare(number);
    }
}

static void stop_at_switch(uint8_t at, bool stops, uint8_t opposite) {
    if (stops) {
        output_stop_at_switch(at);
    }
    if (sensor_is_active(opposite)) {
        faults_latch(FAULT_BOTH_SWITCHES, outputs[at].channel);
    }
}

static void stop_and_hold(uint8_t number, const struct sensor *sensor) {
    const bool active = (sensor->state & ACTIVE) != 0;
    for (uint8_t at = sensor->first_stopped; at <= sensor->last_stopped; at++) {
        const struct output *const output = &outputs[at];
        if (channels[output->channel].kind == KIND_DICE) {
            continue;
        }
        const struct plug *const plug = plug_of(output);
        if (active && plug->forward_stop == number) {
            stop_at_switch(at, output->wanted > 0, plug->reverse_stop);
        }
        if (active && plug->reverse_stop == number) {
            stop_at_switch(at, output->wanted < 0, plug->forward_stop);
        }
        if (plug->hold == number) {
            output_hold(at, active);
        }
    }
}

static void settle(uint8_t number, uint32_t now) {
    struct sensor *const sensor = &channels[number].sensor;
    sensor->state &= (uint8_t) ~(SETTLING | ACTIVE);
    sensor->since = now;
    if (sensor->state & RAW) {
        sensor->state |= ACTIVE;
        sensor->count++;
    }
    if (sensor->state & WATCHED) {
        report_edge(number, sensor, now);
    }
    end_awaiting(number, sensor);
    if (sensor->first_stopped != WIRE_NONE) {
        stop_and_hold(number, sensor);
    }
    if (sensor->state & ACTIVE) {
        axes_at_switch(number, now);
    }
}

/* Debouncing: a change counts once it has lasted for the debounce time. While a sensor settles,
 * `since` is the end of that time. `reflex_due` can interrupt every function here and reads the list;
 * it only sets entries of `due`. */

static void begin_to_settle(uint8_t number, struct sensor *sensor, uint32_t at) {
    sensor->since = at + sensor->debounce_ms * UINT32_C(1000);
    sensor->state |= SETTLING;
    uint8_t place = settling_count;
    settling[place] = number; /* counted at once: no entry is missing while later ones move */
    settling_count++;
    for (; place > 0; place--) {
        const uint8_t before = settling[place - 1u];
        if (time_reached(sensor->since, channels[before].sensor.since)) {
            break;
        }
        settling[place] = before;
    }
    settling[place] = number;
    port_alarm(sensor->since);
}

/* Moves the later entries before it counts one less, so that none is missing meanwhile. */
static void remove_settling(uint8_t at) {
    for (; at + 1u < settling_count; at++) {
        settling[at] = settling[at + 1u];
    }
    settling_count--;
}

/* Ends the debounce time of a sensor. Returns whether the change has lasted until `at`. */
static bool settled_until(uint8_t number, struct sensor *sensor, uint32_t at) {
    for (uint8_t place = 0; place < settling_count; place++) {
        if (settling[place] == number) {
            remove_settling(place);
            break;
        }
    }
    const bool lasted = due[number] == CUT || time_reached(at, sensor->since);
    due[number] = 0;
    sensor->state &= (uint8_t)~SETTLING;
    return lasted;
}

bool reflex_due(uint32_t now) {
    const bool phase = outputs_phase_is_over(now);
    const bool trip = trips_are_due(now);
    bool any = phase || trip;
    for (uint8_t at = 0; at < settling_count; at++) {
        const uint8_t number = settling[at];
        const struct channel *const channel = &channels[number];
        if (due[number] != 0) {
            continue;
        }
        if (!time_reached(now, channel->sensor.since)) {
            port_alarm(channel->sensor.since);
            break;
        }
        const bool active = (channel->sensor.state & RAW) != 0;
        switch (port_cut_now(channel->sensor.pin, is_active_level(channel, active))) {
        case CUT_DONE:
            due[number] = CUT;
            any = true;
            break;
        case CUT_CHANGED:
            due[number] = CHANGED;
            break;
        case CUT_LATER:
        default:
            break;
        }
    }
    return any;
}

/* One sensor at a time: the debounce times of others begin before the next one is processed. */
bool reflex_settle(void) {
    trips_turn(port_micros());
    for (uint8_t at = 0; at < settling_count; at++) {
        const uint8_t number = settling[at];
        if (due[number] == CUT) {
            remove_settling(at);
            due[number] = 0;
            settle(number, channels[number].sensor.since);
            return true;
        }
    }
    outputs_modulate(port_micros()); /* after the sensors: a motor that is cut is not written again */
    return false;
}

/* Inputs */

void reflex_edge(uint8_t pin, bool high, uint32_t at) {
    const uint8_t number = sensor_on[pin];
    if (number == WIRE_NONE) {
        return;
    }
    struct channel *const channel = &channels[number];
    struct sensor *const sensor = &channel->sensor;
    const bool raw = is_active_level(channel, high);
    if (raw == ((sensor->state & RAW) != 0)) {
        return;
    }
    if (is_safety_input(channel)) {
        /* From now, not from `at`: only now is the pin sampled again, so a pulse is seen to end. */
        const uint32_t now = port_micros();
        trip_follow(number, raw, now);
        port_alarm(now + TRIP_US);
    }
    if (sensor->state & SETTLING) {
        if (!settled_until(number, sensor, at)) {
            sensor->state ^= RAW; /* back before its time: the change does not count */
            return;
        }
        settle(number, sensor->since);
    }
    sensor->state ^= RAW;
    if (sensor->debounce_ms != 0) {
        begin_to_settle(number, sensor, at);
    } else {
        settle(number, at);
    }
}

void reflex_emergency(void) {
    faults_latch(FAULT_EMERGENCY_STOP, sensor_on[EMERGENCY_PIN]);
}

/* Called from the main loop */

void reflex_begin(void) {
    settling_count = 0;
    unreported = false;
    trips_begin();
    memset((uint8_t *)due, 0, sizeof due);
}

/* Under `port_lock`. */
static void connect(uint8_t number, bool high) {
    struct channel *const channel = &channels[number];
    struct sensor *const sensor = &channel->sensor;
    const bool active = is_active_level(channel, high);
    const bool was = (sensor->state & ACTIVE) != 0;
    if ((sensor->state & COUNTED) && active && !was) {
        sensor->count++; /* it has become active while it was not sampled */
    }
    sensor->state = active ? COUNTED | RAW | ACTIVE : COUNTED;
    sensor_on[sensor->pin] = number;
    cut_prepare(number);
    if (is_safety_input(channel)) {
        trip_connect(number, active);
        port_pin_urgent(sensor->pin);
    }
}

/* The level is read under the lock: an edge that came before finds no sensor on its pin, and is in
 * the level; one that comes later is reported after the lock, to the connected sensor. */
void reflex_connect(uint8_t number) {
    const uint8_t pin = channels[number].sensor.pin;
    port_pin_sense(pin);
    port_lock();
    connect(number, port_pin_level(pin));
    port_unlock();
}

void reflex_connect_at(uint8_t number, bool high) {
    port_lock();
    connect(number, high);
    port_unlock();
}

/* An edge that the port has lost is made up for. The port reports a later edge in any case: it
 * compares the pin with the level that it has seen. */
void reflex_compare_levels(void) {
    for (uint8_t number = 0; number < table_channels(); number++) {
        const struct channel *const channel = &channels[number];
        if (channel->kind == KIND_SENSOR && is_safety_input(channel)) {
            port_lock();
            reflex_edge(channel->sensor.pin, port_pin_level(channel->sensor.pin), port_micros());
            port_unlock();
        }
    }
}

void reflex_off(void) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        const uint8_t number = sensor_on[pin];
        if (number == WIRE_NONE) {
            continue;
        }
        port_lock();
        sensor_on[pin] = WIRE_NONE;
        cut_nothing(pin);
        settled_until(number, &channels[number].sensor, port_micros());
        trip_disconnect(number);
        port_unlock();
        if (pin != EMERGENCY_PIN && pin != CURTAIN_PIN) {
            port_pin_release(pin);
        }
        port_watchdog_kick();
    }
}

static void report_late(uint8_t number) {
    struct sensor *const sensor = &channels[number].sensor;
    port_lock();
    if (sensor->state & UNREPORTED) {
        report_edge(number, sensor, sensor->since);
    }
    port_unlock();
}

void reflex_report_late(void) {
    if (!unreported || !events_have_room()) {
        return;
    }
    unreported = false;
    for (uint8_t number = 0; number < MOST_CHANNELS; number++) {
        if (channels[number].kind == KIND_SENSOR) {
            report_late(number);
        }
    }
}
