/* Motors, outputs and strips: the values at their pins.
 *
 * An output is at its safe value, or at what was ordered; back-pressure holds it at the safe value
 * meanwhile. The orders that run on them are in drives.h. */
#ifndef WALLWRIGHT_OUTPUTS_H
#define WALLWRIGHT_OUTPUTS_H

#include "channels.h"

#include <stdbool.h>
#include <stdint.h>

static inline const struct plug *plug_of(const struct output *output) {
    return &channels[output->channel].plug;
}

static inline uint8_t output_kind(const struct output *output) {
    return channels[output->channel].kind;
}

int32_t output_value(const struct output *output); /* what is on the copper */
bool output_is_away(const struct output *output);  /* runs, or is not at its safe value */
bool output_takes(const struct output *output, int32_t value);

/* From the reflex, or under `port_lock`: */
bool output_is_blocked(const struct plug *plug, int32_t value); /* a switch is against it */
void output_put(struct output *output, int32_t value);          /* or rest, if one is */
void output_rest(struct output *output);                        /* its safe value */
void output_hold(uint8_t output, bool held);
void output_cut(const struct output *output); /* only its pins, to their safe levels */

/* From the main loop: */
void outputs_connect(void);  /* every output of the table at its safe value */
void outputs_off(void);      /* nothing is driven any more: no table */
void outputs_modulate(void); /* every millisecond: motors that run at part of their drive */
void output_forget(struct output *output, uint8_t channel); /* it had no order yet */

#endif
