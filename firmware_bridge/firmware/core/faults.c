#include "faults.h"

#include "../port.h"
#include "events.h"
#include "state.h"
#include "wire.h"

#define MOST 64u /* if the list is full, an emergency stop takes the place of another fault */

struct fault {
    uint8_t code : 7;
    uint8_t unreported : 1; /* the event queue had no room */
    uint8_t channel;
};

_Static_assert(MOST > MOST_SENSORS + 1u, "the emergency stops of all sensors do not fill the list");

static struct fault faults[MOST];
static volatile uint8_t count;
static volatile bool some_unreported;
static volatile bool release_due;
static volatile bool release_without_ramp;

void faults_begin(void) {
    count = 0;
    some_unreported = false;
    release_due = release_without_ramp = false;
}

bool faults_any(void) {
    return count != 0;
}

bool faults_have(uint8_t code) {
    for (uint8_t at = 0; at < count; at++) {
        if (faults[at].code == code) {
            return true;
        }
    }
    return false;
}

uint8_t faults_first_channel(void) {
    return faults[0].channel;
}

static bool is_latched(uint8_t code, uint8_t channel) {
    for (uint8_t at = 0; at < count; at++) {
        if (faults[at].code == code && faults[at].channel == channel) {
            return true;
        }
    }
    return false;
}

static void report(struct fault *fault) {
    uint8_t *const payload = events_add(WIRE_FAULTED);
    fault->unreported = !payload;
    if (payload) {
        wire_faulted(payload, fault->code, fault->channel, port_micros());
    } else {
        some_unreported = true;
    }
}

/* The place for a new fault, or MOST. */
static uint8_t place_for(uint8_t code) {
    if (count < MOST) {
        return count++;
    }
    uint8_t at = MOST;
    while (code == FAULT_EMERGENCY_STOP && at > 0) {
        if (faults[--at].code != FAULT_EMERGENCY_STOP) {
            return at;
        }
    }
    return MOST;
}

static void halt(void) {
    port_gate_halt();
    for (uint8_t axis = 0; axis < AXES; axis++) {
        port_axis_halt(axis);
    }
    release_without_ramp = true;
    release_due = true;
}

/* The gate shuts even if the fault is latched already: it is as serious as the first time. */
void faults_latch(uint8_t code, uint8_t channel) {
    if (code == FAULT_EMERGENCY_STOP) {
        halt();
    } else {
        port_gate_shut();
    }
    /* A stop without a channel adds nothing to one that is latched already. */
    if (is_latched(code, channel) ||
        (code == FAULT_EMERGENCY_STOP && channel == WIRE_NONE && faults_have(code))) {
        return;
    }
    release_due = true;
    const uint8_t at = place_for(code);
    if (at < MOST) {
        faults[at].code = code & 0x7Fu;
        faults[at].channel = channel;
        report(&faults[at]);
    }
}

void faults_report_again(void) {
    for (uint8_t at = 0; at < count; at++) {
        port_lock();
        report(&faults[at]);
        port_unlock();
    }
}

void faults_report_late(void) {
    if (!some_unreported || !events_have_room()) {
        return;
    }
    some_unreported = false;
    for (uint8_t at = 0; at < count; at++) {
        port_lock();
        if (faults[at].unreported) {
            report(&faults[at]);
        }
        port_unlock();
    }
}

bool faults_take_release(bool *without_ramp) {
    if (!release_due) {
        return false;
    }
    port_lock();
    release_due = false;
    *without_ramp = release_without_ramp;
    release_without_ramp = false;
    port_unlock();
    return true;
}

/* The cause is checked and the fault removed under one lock: if the same cause came back between
 * the two, `faults_latch` would find the fault latched, and its removal would lose the new one. */
static bool clear_at(uint8_t at, bool (*persists)(uint8_t code, uint8_t channel)) {
    port_lock();
    const bool ended = !persists(faults[at].code, faults[at].channel);
    if (ended) {
        count--;
        for (uint8_t later = at; later < count; later++) {
            faults[later] = faults[later + 1];
        }
    }
    port_unlock();
    return ended;
}

/* A fault that latches meanwhile is added at the end of the list, so it is kept. */
void faults_clear(bool (*persists)(uint8_t code, uint8_t channel)) {
    uint8_t at = 0;
    while (at < count) {
        if (!clear_at(at, persists)) {
            at++;
        }
    }
}
