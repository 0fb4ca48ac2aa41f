/* The state that is kept without power: sensors' counts and levels, last orders, the dice, and the
 * safe levels of the table's outputs.
 *
 * Saved to EEPROM a byte a turn: what has changed every 250 ms while nothing moves, at once when
 * the supply falls, and after a reset by anything else. Each record has its own check; a torn record
 * is ignored. Counts belong to pins, orders and dice to channels. */
#ifndef WALLWRIGHT_MEMORY_H
#define WALLWRIGHT_MEMORY_H

#include "channels.h"

#include <stdbool.h>
#include <stdint.h>

/* Before any table: recalls the last orders, and lets outputs rest where they did. False if what
 * is known of that is damaged. */
bool memory_begin(void);
void memory_let_rests_go(void); /* a table comes and drives its own pins */

void memory_restore_sensor(struct sensor *sensor);
void memory_restore_dome(uint8_t channel, struct unit *dome);

void memory_turn(uint32_t now, bool still);

/* The first thing after a reset: saves what the memory still knows, if its supply never fell. Till
 * this returns, half a second at most, nothing has been begun anew. */
void memory_rescue(void);

#endif
