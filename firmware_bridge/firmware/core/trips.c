#include "trips.h"

#include "../port.h"
#include "axes.h"
#include "faults.h"
#include "outputs.h"
#include "state.h"

#define AGAIN_US 100u /* after a check that has found the input inactive */
#define MOST 4u /* further inputs that change at the same time trip at once */

struct pending {
    uint8_t number;
    uint32_t since;
};

static struct pending pending[MOST];
static volatile uint8_t count;

void trips_begin(void) {
    count = 0;
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

bool trip_is_filtered(uint8_t number) {
    for (uint8_t at = 0; at < count; at++) {
        if (pending[at].number == number) {
            return true;
        }
    }
    return false;
}

/* The light curtain stops the board only if a guarded part moves. */
static bool something_guarded_moves(void) {
    for (uint8_t at = 0; at < output_count; at++) {
        const struct channel *const channel = &channels[outputs[at].channel];
        if ((channel->flags & FLAG_GUARDED) && has_output(channel) && output_is_away(&outputs[at])) {
            return true;
        }
    }
    return axes_guarded_move();
}

static void trip(uint8_t number) {
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

void trip_follow(uint8_t number, bool active, uint32_t now) {
    for (uint8_t at = 0; at < count; at++) {
        if (pending[at].number == number) {
            remove_at(at);
            break;
        }
    }
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
