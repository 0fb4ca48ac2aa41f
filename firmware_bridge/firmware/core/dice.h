/* Dice domes: shaken for a set time, then read by the module on their serial port. */
#ifndef WALLWRIGHT_DICE_H
#define WALLWRIGHT_DICE_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

void dice_begin(void);
void dome_throw(struct unit *dome, uint8_t dice, uint8_t ticket);
void dome_stop(struct unit *dome, uint8_t reason);
void dice_stop(uint8_t reason); /* every throw */
void dice_turn(uint32_t now);

#endif
