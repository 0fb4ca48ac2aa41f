/* Drives, pulses and set values: orders on outputs, from their begin to their end.
 *
 * Ends come from the reflex (edges, levels, switches) and from the main loop (time, current, stop,
 * lease, fault); the first of them ends the order. */
#ifndef WALLWRIGHT_DRIVES_H
#define WALLWRIGHT_DRIVES_H

#include "outputs.h"

#include <stdbool.h>
#include <stdint.h>

struct order {
    uint8_t output;
    uint8_t ticket;
    uint8_t until;
    bool pulse;     /* then `until` is UNTIL_TIME */
    uint8_t sensor; /* or WIRE_NONE */
    uint16_t count; /* edges, or the level */
    uint16_t limit_ma;
    int32_t value;
    struct duration limit;
};

/* Whether a drive that waits for a sensor ends as that becomes active or inactive. */
static inline bool drive_ends(const struct output *output, bool active) {
    if (output->state & AWAITS_LEVEL) {
        return active == ((output->state & AWAITS_ACTIVE) != 0);
    }
    return active && (uint16_t)(output->counted + 1u) == output->edges;
}

/* From the reflex: */
void output_end(uint8_t output, uint8_t reason); /* nothing happens unless it runs */
void output_stop_at_switch(uint8_t output);

/* From the main loop: */
void drives_begin(void); /* of a table */
void output_set(uint8_t output, int32_t value);
void output_run(const struct order *order);
void output_stop(uint8_t output, uint8_t reason); /* back to the safe value, ending what runs */
void outputs_stop_motion(uint8_t reason); /* motors and what runs; what is simply on stays on */
void outputs_end_running(uint8_t reason);
void outputs_release(uint8_t reason);
void outputs_forget_tickets(void);
void outputs_turn(uint32_t now);       /* times that run out */
void outputs_draw(uint16_t milliamps); /* what the motors draw together */

/* Shared with the dice: an order's begin and end. Under `port_lock`, or from the reflex. */
void order_begins(uint8_t output, uint8_t ticket, uint8_t sensor, bool counts, uint32_t now);
bool order_ends(uint8_t output, uint8_t reason, uint32_t now); /* true: the host is to be told */

#endif
