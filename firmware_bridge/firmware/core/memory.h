/* The state that is kept without power: counts and levels of sensors, last orders, dice, and the
 * safe levels of the table's outputs.
 *
 * The main loop saves it to EEPROM one byte a turn: every 250 ms while nothing moves, at once when
 * the supply falls, and after a reset by any other cause. It writes only bytes that have changed.
 * Each record has its own check; a torn record is ignored. Counts are stored by pin, orders and
 * dice by channel. */
#ifndef WALLWRIGHT_MEMORY_H
#define WALLWRIGHT_MEMORY_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

/* Called before any table comes in force: loads the last orders, and drives the outputs of the last
 * table to their stored safe levels. Returns false if these are damaged. */
bool memory_begin(void);
void memory_release_outputs(void); /* a table comes in force and drives its own pins */

void memory_restore_sensor(struct sensor *sensor);
void memory_restore_dome(uint8_t channel, struct unit *dome);

void memory_turn(uint32_t now, bool still);

/* Called first after a reset: if the RAM kept its content, saves it to EEPROM. Takes at most half a
 * second; until it returns, nothing else has been started. */
void memory_save_after_reset(void);

#endif
