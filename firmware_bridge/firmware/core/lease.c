#include "lease.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "clock.h"
#include "events.h"
#include "stops.h"
#include "wire.h"

static bool leased;
static bool expired; /* the host has not given the expired lease back yet */
static uint32_t until;
static bool held_is_due;
static uint32_t held_at;

void lease_end(void) {
    leased = false;
    expired = false;
}

void lease_begin(void) {
    held_is_due = false;
    lease_end();
}

bool lease_holds(void) {
    return leased;
}

void lease_take(const uint8_t *payload) {
    const uint16_t ms = wire_take_lease_duration_ms(payload);
    if (!table_is_there()) {
        return;
    }
    if (ms == 0) {
        const bool had = leased;
        lease_end();
        if (had) {
            stop_all(REASON_STOPPED, false);
        }
        answer_ok();
    } else if (expired) {
        answer_refused(REFUSAL_NO_LEASE, WIRE_NONE);
    } else {
        leased = true;
        until = port_micros() + ms * UINT32_C(1000);
        answer_ok();
    }
}

void lease_check(uint32_t now) {
    if (leased && time_reached(now, until)) {
        leased = false;
        expired = true;
        stop_all(REASON_HELD, false);
        held_is_due = true;
        held_at = now;
    }
}

/* HELD follows the end of the last motion that the expired lease has stopped. */
void lease_report_held(void) {
    if (!held_is_due || axes_move_now()) {
        return;
    }
    held_is_due = false;
    port_lock();
    uint8_t *const payload = events_add(WIRE_HELD);
    if (payload) {
        wire_held(payload, held_at);
    }
    port_unlock();
}
