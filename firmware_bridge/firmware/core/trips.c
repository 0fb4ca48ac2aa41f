#include "trips.h"

#include "../port.h"
#include "axes.h"
#include "bits.h"
#include "faults.h"
#include "outputs.h"
#include "state.h"

#include <string.h>

#define AGAIN_US 100u /* after a check that has found the input inactive */
#define MOST 4u /* further inputs that change at the same time trip at once */

struct pending {
    uint8_t number;
    uint32_t since;
};

#define CHANNEL_BYTES ((MOST_CHANNELS + 7u) / 8u)

static struct pending pending[MOST];
static volatile uint8_t count;
static uint8_t connected[CHANNEL_BYTES]; /* one bit for each safety input of the table */
static uint8_t tripped[CHANNEL_BYTES];   /* those that have tripped and are active still */
static volatile bool motion_is_expected;

void trips_begin(void) {
    count = 0;
    motion_is_expected = false;
    memset(connected, 0, sizeof connected);
    memset(tripped, 0, sizeof tripped);
}

/* Calls of this cost little where no bit is set: a table has two safety inputs. */
static uint8_t next_of(const uint8_t *set, uint8_t number) {
    while (number < MOST_CHANNELS) {
        if (set[number / 8u] >> number % 8u == 0) {
            number = (uint8_t)((number / 8u + 1u) * 8u);
        } else if (bits_have(set, number)) {
            return number;
        } else {
            number++;
        }
    }
    return WIRE_NONE;
}

/* An input that is due gets no alarm here: at every tick, it would leave no time to process it. */
bool trips_are_due(uint32_t now) {
    bool due = false;
    for (uint8_t at = 0; at < count; at++) {
        const uint32_t trips_at = pending[at].since + TRIP_US;
        if (time_reached(now, trips_at)) {
            due = true;
        } else {
            port_alarm(trips_at);
        }
    }
    return due;
}

/* The light curtain stops the board only if a guarded part moves or is to move: one that waits for
 * the end of its dead time, or is held back, would begin to move by itself. */
static bool something_guarded_moves(void) {
    if (motion_is_expected) {
        return true;
    }
    for (uint8_t at = 0; at < output_count; at++) {
        if ((channels[outputs[at].channel].flags & FLAG_GUARDED) && output_is_ordered(&outputs[at])) {
            return true;
        }
    }
    return axes_guarded_move();
}

static void trip(uint8_t number) {
    bits_add(tripped, number);
    if (channels[number].flags & FLAG_EMERGENCY) {
        faults_latch(FAULT_EMERGENCY_STOP, number);
    }
    if ((channels[number].flags & FLAG_CURTAIN) && something_guarded_moves()) {
        faults_latch(FAULT_LIGHT_CURTAIN, number);
    }
}

static void remove_at(uint8_t at) {
    count--;
    for (; at < count; at++) {
        pending[at] = pending[at + 1u];
    }
}

static void forget(uint8_t number) {
    for (uint8_t at = 0; at < count; at++) {
        if (pending[at].number == number) {
            remove_at(at);
            break;
        }
    }
    bits_remove(tripped, number);
}

/* Nothing moves while a table comes in force. A stop that was pressed before is latched already. */
void trip_connect(uint8_t number, bool active) {
    forget(number);
    bits_add(connected, number);
    if (active) {
        bits_add(tripped, number);
        if ((channels[number].flags & FLAG_EMERGENCY) && !faults_have(FAULT_EMERGENCY_STOP)) {
            faults_latch(FAULT_EMERGENCY_STOP, number);
        }
    }
}

void trip_disconnect(uint8_t number) {
    forget(number);
    bits_remove(connected, number);
}

void trip_follow(uint8_t number, bool active, uint32_t now) {
    forget(number);
    if (!active) {
        return;
    }
    if (count == MOST) {
        trip(number);
        return;
    }
    pending[count] = (struct pending){.number = number, .since = now};
    count++;
}

/* The level is read again, because a sample that has found the input inactive may not have been
 * processed yet. */
void trips_turn(uint32_t now) {
    uint8_t at = 0;
    while (at < count) {
        const uint8_t number = pending[at].number;
        if (!time_reached(now, pending[at].since + TRIP_US) ||
            !is_active_level(&channels[number], port_pin_level(channels[number].sensor.pin))) {
            at++;
            continue;
        }
        remove_at(at);
        trip(number);
    }
    if (count != 0) {
        port_alarm(now + AGAIN_US);
    }
}

uint8_t trips_active(uint8_t flag, bool settled) {
    for (uint8_t at = 0; !settled && at < count; at++) {
        if (channels[pending[at].number].flags & flag) {
            return pending[at].number;
        }
    }
    uint8_t number = next_of(tripped, 0);
    while (number != WIRE_NONE && !(channels[number].flags & flag)) {
        number = next_of(tripped, (uint8_t)(number + 1u));
    }
    return number;
}

void trips_expect_motion(bool expected) {
    motion_is_expected = expected;
}

bool trips_differ(void) {
    for (uint8_t number = next_of(connected, 0); number != WIRE_NONE;
         number = next_of(connected, (uint8_t)(number + 1u))) {
        const struct channel *const channel = &channels[number];
        const bool active = is_active_level(channel, port_pin_level(channel->sensor.pin));
        if (active != ((channel->sensor.state & RAW) != 0)) {
            return true;
        }
    }
    return false;
}
