/* Limits of the motors' current, with a low pass. A motor that starts may exceed its limit for its
 * inrush time; starts in quick succession have a few of these times together. */
#ifndef WALLWRIGHT_CURRENTS_H
#define WALLWRIGHT_CURRENTS_H

#include <stdint.h>

void currents_note_start(uint8_t motor); /* this channel begins to run or reverses */
void currents_turn(uint32_t now); /* about every millisecond: measures, latches OVER_CURRENT */
uint16_t current_of(uint8_t motor);      /* in mA: its own, or if not measured that of all motors */

#endif
