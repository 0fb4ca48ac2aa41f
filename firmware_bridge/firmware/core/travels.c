#include "travels.h"

#include "axis.h"
#include "events.h"
#include "state.h"

struct travel travels[AXES];

/* There are as many travels as axes, and an axis at rest has none: one of them is free. */
static uint8_t free_travel(void) {
    uint8_t travel = 0;
    while (travel < AXES - 1u && travels[travel].moving != 0) {
        travel++;
    }
    return travel;
}

uint8_t travel_begin(uint8_t first, uint8_t ticket, bool homing, uint32_t now) {
    const uint8_t travel = free_travel();
    travels[travel] = (struct travel){
        .ticket = ticket,
        .channel = axis_records[first].channel,
        .reason = REASON_DONE,
        .reports_end = true,
        .homing = homing,
        .began = now,
    };
    port_lock();
    events_reserve();
    port_unlock();
    return travel;
}

void travel_join(uint8_t axis, uint8_t travel) {
    travels[travel].moving = (uint8_t)(travels[travel].moving | 1u << axis);
    axes[axis].travel = travel;
}

static void report_end(const struct travel *travel, uint32_t at) {
    port_lock();
    events_free_reserved();
    uint8_t *const payload = travel->reports_end ? events_add(WIRE_MOTION_ENDED) : 0;
    if (payload) {
        wire_motion_ended(payload, travel->ticket, travel->channel, travel->reason, 0,
                          at - travel->began);
    }
    port_unlock();
}

void travel_leave(uint8_t axis, uint32_t at) {
    struct travel *const travel = &travels[axes[axis].travel];
    axes[axis].travel = WIRE_NONE;
    travel->moving &= (uint8_t) ~(1u << axis);
    if (travel->moving == 0) {
        report_end(travel, at);
    }
}

void travels_forget_tickets(void) {
    for (uint8_t axis = 0; axis < AXES; axis++) {
        travels[axis].reports_end = false;
    }
}
