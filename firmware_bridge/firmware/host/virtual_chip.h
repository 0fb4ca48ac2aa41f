/* Internal interface between the virtual processor's files: time, turns, parts of a reset. */
#ifndef WALLWRIGHT_VIRTUAL_CHIP_H
#define WALLWRIGHT_VIRTUAL_CHIP_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t ticks; /* half microseconds */
extern bool in_reflex, locked;

/* The gate of port.h. SHUT: axes may brake. HALTED: they make no step. */
enum gate { HALTED, SHUT, OPEN };
extern enum gate gate;

/* Every function of port.h that the main loop calls begins with this: a point at which the emergency
 * input can open (`hw_press_at`), as it can between any two instructions on a chip. */
void interruption(void);
bool emergency_is_unreported(void); /* opened, but `reflex_emergency` has not been called yet */
void press_reset(void);
void note_emergency(void); /* the gate has found the emergency input open */
void pins_set_outside(uint8_t pin, bool high); /* no context of the board has run yet */
void pins_report_edge(uint8_t pin); /* in the reflex */
void run_alarm(void); /* runs the reflex if the time of its alarm has come */
void pins_write_direction(uint8_t pin, bool up);

void turn(void); /* runs the main loop until it has no more to do without time passing */

/* Parts of a reset. The levels on the pins from outside stay. */
void lines_reset(void);
void storage_reset(bool power); /* the content stays; the supply is good again if it was off */
void storage_new(void);   /* an erased storage that has never been written */
void pins_reset(void);
void pins_new(void); /* a new processor: nothing connected to any pin */

#endif
