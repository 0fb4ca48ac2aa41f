/* Internal interface between the virtual processor's files: time, turns, parts of a reset. */
#ifndef WALLWRIGHT_VIRTUAL_CHIP_H
#define WALLWRIGHT_VIRTUAL_CHIP_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t ticks; /* half microseconds */
extern bool in_reflex;

void turn(void); /* runs the main loop until it has no more to do without time passing */

/* Parts of a reset. The levels on the pins from outside stay. */
void lines_reset(void);
void pins_reset(void);
void pins_new(void); /* a new processor: nothing connected to any pin */

#endif
