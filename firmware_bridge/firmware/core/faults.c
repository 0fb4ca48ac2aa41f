#include "faults.h"

#include "../port.h"
#include "events.h"
#include "wire.h"

#define MOST 8u /* further ones change nothing: the board stands still already */

struct fault {
    uint8_t code;
    uint8_t channel;
};

static struct fault faults[MOST];
static volatile uint8_t count;
static volatile bool release_due;
static volatile bool release_dead;

void faults_begin(void) {
    count = 0;
    release_due = release_dead = false;
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

static void tell(uint8_t code, uint8_t channel) {
    uint8_t *const payload = events_add(WIRE_FAULTED);
    if (payload) {
        wire_faulted(payload, code, channel, port_micros());
    }
}

void faults_latch(uint8_t code, uint8_t channel) {
    if (count == MOST || is_latched(code, channel)) {
        return;
    }
    faults[count].code = code;
    faults[count].channel = channel;
    count++;
    port_all_safe();
    if (code == FAULT_EMERGENCY_STOP) {
        for (uint8_t axis = 0; axis < AXES; axis++) {
            port_axis_halt(axis);
        }
        release_dead = true;
    }
    release_due = true;
    tell(code, channel);
}

void faults_tell_again(void) {
    for (uint8_t at = 0; at < count; at++) {
        port_lock();
        tell(faults[at].code, faults[at].channel);
        port_unlock();
    }
}

bool faults_take_release(bool *dead) {
    if (!release_due) {
        return false;
    }
    port_lock();
    release_due = false;
    *dead = release_dead;
    release_dead = false;
    port_unlock();
    return true;
}

/* What latches meanwhile lies behind those that are looked at, and stays. */
void faults_clear(bool (*persists)(uint8_t code, uint8_t channel)) {
    uint8_t at = 0;
    while (at < count) {
        if (persists(faults[at].code, faults[at].channel)) {
            at++;
            continue;
        }
        port_lock();
        count--;
        for (uint8_t later = at; later < count; later++) {
            faults[later] = faults[later + 1];
        }
        port_unlock();
    }
}
