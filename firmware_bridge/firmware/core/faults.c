#include "faults.h"

#include "../port.h"
#include "events.h"
#include "wire.h"

#define MOST 64u /* more than a table can have at once; further ones change nothing */

struct fault {
    uint8_t code;
    uint8_t channel;
};

static struct fault faults[MOST];
static volatile uint8_t count;
static volatile bool release_due;
static volatile bool release_without_ramp;

void faults_begin(void) {
    count = 0;
    release_due = release_without_ramp = false;
}

bool faults_any(void) {
    return count != 0;
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

static void report(uint8_t code, uint8_t channel) {
    uint8_t *const payload = events_add(WIRE_FAULTED);
    if (payload) {
        wire_faulted(payload, code, channel, port_micros());
    }
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
    if (is_latched(code, channel) || count == MOST) {
        return;
    }
    faults[count].code = code;
    faults[count].channel = channel;
    count++;
    release_due = true;
    report(code, channel);
}

void faults_report_again(void) {
    for (uint8_t at = 0; at < count; at++) {
        port_lock();
        report(faults[at].code, faults[at].channel);
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
