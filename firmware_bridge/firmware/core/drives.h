/* Drives, pulses and set values: orders on outputs, from their start to their end.
 *
 * The reflex ends an order at an edge, level or switch; the main loop ends it by time, current,
 * stop, lease or fault. The first of these ends the order. */
#ifndef WALLWRIGHT_DRIVES_H
#define WALLWRIGHT_DRIVES_H

#include "outputs.h"

#include <stdbool.h>
#include <stdint.h>

struct order {
    uint8_t output;
    uint8_t ticket;
    uint8_t until;
    bool pulse;     /* if set, `until` is UNTIL_TIME */
    uint8_t sensor; /* or WIRE_NONE */
    uint16_t count; /* edges, or the level */
    uint16_t limit_ma;
    int32_t value;
    struct duration limit;
};

/* Called from the reflex: */
void output_end(uint8_t output, uint8_t reason); /* no effect unless an order runs */
void output_stop_at_switch(uint8_t output);

/* Called from the main loop: */
void output_set(uint8_t output, int32_t value);
void output_run(const struct order *order);
void output_stop(uint8_t output, uint8_t reason); /* to its safe value; ends its order */
void outputs_stop_motion(uint8_t reason); /* stops motors and orders; set outputs stay on */
void outputs_end_running(uint8_t reason);
void outputs_release(uint8_t reason);
void outputs_forget_tickets(void);
void outputs_turn(uint32_t now);       /* ends orders by time, latches exceeded on-times */
void outputs_check_current(void);      /* ends drives above their own limit of the current */

/* Also used by dice.c: start and end of an order. Under `port_lock`, or from the reflex. */
void note_order_begin(uint8_t output, uint8_t ticket, uint8_t sensor, bool counts, uint32_t now);
bool note_order_end(uint8_t output, uint8_t reason, uint32_t now); /* true: report the end */

#endif
