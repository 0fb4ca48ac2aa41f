/* Sensors on analogue inputs: their level changes at two thresholds, not at the logic level of a
 * pin. A voltage between the thresholds leaves the level as it is. */
#ifndef WALLWRIGHT_LEVELS_H
#define WALLWRIGHT_LEVELS_H

#include <stdint.h>

void levels_connect(uint32_t now); /* after the table has come in force */
void levels_turn(uint32_t now);    /* every millisecond while a table is in force */

#endif
