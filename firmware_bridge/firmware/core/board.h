/* Dispatches each command to its module, and runs all other tasks of a turn in order. */
#ifndef WALLWRIGHT_BOARD_H
#define WALLWRIGHT_BOARD_H

#include <stdbool.h>
#include <stdint.h>

void board_begin(void);

/* Executes one command and replies to it (`replies_send`), at once or some turns later
 * (pending.h). `sequence` is the ticket of the command's motion. */
void board_execute(uint8_t type, const uint8_t *payload, uint8_t sequence);

void board_plan_steps(void);
bool board_turn(uint32_t now); /* true if there is more to do without time passing */
void board_note_turn(uint32_t micros); /* for the longest turn in Statistics */

#endif
