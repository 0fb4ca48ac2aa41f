#include "lease.h"

#include "../port.h"
#include "answers.h"
#include "axes.h"
#include "clock.h"
#include "events.h"
#include "limits.h"
#include "state.h"
#include "stops.h"

static bool held_is_due;
static uint32_t held_at;

void lease_begin(void) {
    held_is_due = false;
}

void lease_take(const uint8_t *payload) {
    const uint16_t ms = wire_take_lease_duration_ms(payload);
    if (!table_is_there()) {
        return;
    }
    if (ms == 0) {
        const bool had = lease.holds;
        lease.holds = lease.expired = false;
        if (had) {
            stop_all(REASON_STOPPED, false);
        }
        answer_ok();
    } else if (!limits_permit_lease(ms)) {
        answer_refused(REFUSAL_LEASE_TOO_LONG, WIRE_NONE);
    } else if (lease.expired) {
        answer_refused(REFUSAL_NO_LEASE, WIRE_NONE);
    } else {
        lease.holds = true;
        lease.until = port_micros() + ms * UINT32_C(1000);
        answer_ok();
    }
}

void lease_check(uint32_t now) {
    if (lease.holds && time_reached(now, lease.until)) {
        lease.holds = false;
        lease.expired = true;
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
