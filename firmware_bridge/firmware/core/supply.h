/* The supply of the board: LOW_SUPPLY with hysteresis, and the permission to write to the storage.
 *
 * The supply counts as low once it has been below 90.0 % of its nominal voltage for 2 ms, or while
 * an input reports that it fails, and as good again after half a second at 92.0 % or more. Below
 * 84.0 % nothing is written: the processor may not work correctly there, and a write can change
 * other bytes. (Of 5 V: 4.5 V, 4.6 V and 4.2 V.) */
#ifndef WALLWRIGHT_SUPPLY_H
#define WALLWRIGHT_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

void supply_begin(void);
void supply_turn(uint32_t now); /* latches LOW_SUPPLY when the supply becomes low */
bool supply_is_low(void);
bool supply_permits_writing(void);

#endif
