/* Axes that began together: their motion ends, and is reported, when all of them are at rest. */
#ifndef WALLWRIGHT_TRAVELS_H
#define WALLWRIGHT_TRAVELS_H

#include "../port.h"

#include <stdbool.h>
#include <stdint.h>

struct travel {
    uint8_t moving; /* one bit for each axis */
    uint8_t ticket;
    uint8_t channel;
    uint8_t reason;
    bool reports_end; /* the host that gave the order still has its session */
    bool homing;
    uint32_t began;
};

extern struct travel travels[AXES]; /* a travel is free while `moving` is 0 */

uint8_t travel_begin(uint8_t first, uint8_t ticket, bool homing, uint32_t now);
void travel_join(uint8_t axis, uint8_t travel);
void travel_leave(uint8_t axis, uint32_t at); /* the axis is at rest */
void travels_forget_tickets(void);

#endif
