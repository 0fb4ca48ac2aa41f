/* Motors, outputs and strips: the values at their pins.
 *
 * An output is at its safe value or at the value that was ordered; back-pressure holds it at the
 * safe value meanwhile. drives.h declares the orders that run on outputs. */
#ifndef WALLWRIGHT_OUTPUTS_H
#define WALLWRIGHT_OUTPUTS_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

static inline const struct plug *plug_of(const struct output *output) {
    return &channels[output->channel].plug;
}

static inline uint8_t output_kind(const struct output *output) {
    return channels[output->channel].kind;
}

/* Whether a drive that waits for a sensor ends when the sensor becomes active or inactive. */
static inline bool drive_ends(const struct output *output, bool active) {
    if (output->state & AWAITS_LEVEL) {
        return active == ((output->state & AWAITS_ACTIVE) != 0);
    }
    return active && (uint16_t)(output->counted + 1u) == output->edges;
}

int32_t output_value(const struct output *output); /* the value at its pins */
/* An order runs, or its value is not safe, or will not be: it is held back, or its dead time runs. */
bool output_is_ordered(const struct output *output);
bool output_is_in_part(int32_t value); /* a motor at part of its full drive */
bool output_takes(const struct output *output, int32_t value);

/* Called from the reflex, or under `port_lock`: */
bool output_is_blocked(const struct plug *plug, int32_t value); /* by a limit switch */
void output_put(struct output *output, int32_t value); /* the safe value if `value` is blocked */
void output_rest(struct output *output);               /* sets the safe value */
void output_hold(uint8_t output, bool held);
void output_end_dead_time(struct output *output, uint32_t now); /* if it is over */
void output_cut(const struct output *output); /* writes only its pins, to their safe levels */

/* Pulse width modulation of motors at part of their full drive, by the alarm of the reflex: the turns
 * of the main loop are longer than a phase. The first one can interrupt the second. */
bool outputs_phase_is_over(uint32_t now); /* otherwise sets the alarm, if a motor needs it */
void outputs_modulate(uint32_t now);      /* begins the next phase, if the present one is over */

/* Called from the main loop: */
void outputs_connect(void);  /* drives every output of the table at its safe value */
void outputs_off(void);      /* releases all pins when the table goes out of force */
bool outputs_take_strip_change(void); /* whether a strip has changed since the last call */
void output_forget(struct output *output, uint8_t channel); /* resets it: it had no order yet */

#endif
