/* The board's end of the line: commands strictly in the order of their numbers, each exactly once;
 * a repeated one gets the stored reply. See docs/PROTOCOL.md. */
#ifndef WALLWRIGHT_SESSION_H
#define WALLWRIGHT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

void session_begin(void);
bool session_turn(uint32_t now); /* takes a command if the last one is answered; true: go on */

/* Answers the command that `board_execute` was given, now or some turns later. */
void session_reply(uint8_t type, const uint8_t *payload);

uint32_t session_repeated(void);

#endif
