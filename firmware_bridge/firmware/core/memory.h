/* The state that is kept without power: counts and levels of sensors, last orders, dice, the safe
 * levels of the table's outputs, and the number of starts.
 *
 * It is a log of items in the storage (`ring.h`); the last item of a kind and a number is in force.
 * The main loop writes what has changed:
 *
 *   when the supply falls       everything, once for each fall
 *   after a reset, if the RAM   everything
 *   kept its content
 *   before the bootloader       everything
 *   at rest                     counts, levels, dice and safe levels, at most every 20 s
 *
 * An order counts as kept until the next lease: then the log says that the stored orders are no
 * longer the last ones. Without a warning, the counts since the last save are lost, and so is what
 * the orders did; no count is ever higher than the true one. */
#ifndef WALLWRIGHT_MEMORY_H
#define WALLWRIGHT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Called before any table comes in force: loads the last orders, counts this start in `identity`,
 * and drives the outputs of the last table to their stored safe levels. Returns false if the stored
 * state is damaged. Writes up to 8 bytes, and waits for them. */
bool memory_begin(void);

/* Whether the number of this start is stored, so that a session can begin. At most starts it is when
 * `memory_begin` returns; if the page is full or numbers must be reserved, 50 ms later; never if the
 * supply does not permit writing or the storage is damaged (starts.h). */
bool memory_start_is_kept(void);
bool memory_start_goes_on(void); /* a step can be made as soon as the storage is ready */
bool memory_start_is_late(void); /* it should be stored by now: the board has to be attended to */
void memory_release_outputs(void); /* a table comes in force and drives its own pins */

void memory_turn(uint32_t now, bool still);

void memory_save(void);   /* saves everything, in the following turns */
bool memory_saves(void);  /* that is not done yet */

/* Called first after a reset: if the RAM kept its content and the supply permits writing, saves
 * everything. Usually takes at most a second and a half, never more than 15 s; until it returns,
 * nothing else has been started. */
void memory_save_after_reset(void);

#endif
