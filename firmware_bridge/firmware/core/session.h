/* The board's end of the line: executes commands in the order of their numbers, each exactly once,
 * and answers a repeated command with the stored reply. See docs/PROTOCOL.md. */
#ifndef WALLWRIGHT_SESSION_H
#define WALLWRIGHT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

void session_begin(void);
bool session_turn(uint32_t now); /* takes at most one frame; true: more bytes may wait */

/* Replies to the command that `board_execute` received, in the same turn or some turns later. */
void session_reply(uint8_t type, const uint8_t *payload);

uint32_t session_repeated(void);

#endif
