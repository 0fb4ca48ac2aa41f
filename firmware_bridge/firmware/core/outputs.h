/* Motors, outputs and strips: what is on their pins, and the drives and pulses under way.
 *
 * An output is at its safe value, or at what was ordered; back-pressure holds it at the safe value
 * meanwhile. Ends come from the reflex (edges, levels, switches) and from the main loop (time,
 * current, stop, lease, fault); whoever comes first has ended it. */
#ifndef WALLWRIGHT_OUTPUTS_H
#define WALLWRIGHT_OUTPUTS_H

#include "channels.h"

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

static inline const struct plug *plug_of(const struct output *output) {
    return &channels[output->channel].plug;
}

int32_t output_value(const struct output *output); /* what is on the copper */
bool output_is_away(const struct output *output);  /* runs, or is not at its safe value */

/* From the reflex: */
void output_end(uint8_t output, uint8_t reason); /* nothing happens unless it runs */
void output_stop_at_switch(uint8_t output);
void output_hold(uint8_t output, bool held);
void output_cut(const struct output *output); /* only its pins, to their safe levels */

/* From the main loop: */
void outputs_connect(void); /* every output of the table at its safe value */
void outputs_off(void);     /* nothing is driven any more: no table */
bool output_takes(const struct output *output, int32_t value);
void output_set(uint8_t output, int32_t value);
void output_run(const struct order *order);
void output_stop(uint8_t output, uint8_t reason); /* back to the safe value, ending what runs */
void outputs_stop_motion(uint8_t reason); /* motors and what runs; what is simply on stays on */
void outputs_end_running(uint8_t reason);
void outputs_release(uint8_t reason);
void outputs_forget_tickets(void);
void output_forget(struct output *output, uint8_t channel); /* it had no order yet */
void outputs_turn(uint32_t now);        /* times that run out */
void outputs_draw(uint16_t milliamps);  /* what the motors draw together */
void outputs_modulate(void);            /* every millisecond: motors that run at part of their drive */

/* Shared with the dice: an order's begin and end. Under `port_lock`, or from the reflex. */
void order_begins(uint8_t output, uint8_t ticket, uint8_t sensor, bool counts, uint32_t now);
bool order_ends(uint8_t output, uint8_t reason, uint32_t now); /* true: the host is to be told */

#endif
