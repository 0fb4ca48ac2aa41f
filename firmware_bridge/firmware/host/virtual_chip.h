/* The virtual processor as its own parts see it: its time, its turns, what a reset asks of them. */
#ifndef WALLWRIGHT_VIRTUAL_CHIP_H
#define WALLWRIGHT_VIRTUAL_CHIP_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t ticks; /* half microseconds */
extern bool in_reflex;

void turn(void); /* the main loop, until it has no more to do at this time */

/* A reset. What is on the pins from outside stays. */
void lines_forget(void);
void pins_forget(void);
void pins_new(void); /* from the factory: nothing on any pin */

#endif
