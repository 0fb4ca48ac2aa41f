/* Replies to commands, and the memory of the last ones: a repeated command gets its reply again. */
#ifndef WALLWRIGHT_REPLIES_H
#define WALLWRIGHT_REPLIES_H

#include <stdbool.h>
#include <stdint.h>

void replies_begin(void);
void replies_open(uint32_t counter); /* a session begins; its first command has this counter */

/* Whether a command with this number can be the next one or a repetition; sets its counter. */
bool replies_know(uint8_t sequence, uint32_t *counter);

/* Returns whether the command with this counter is the next one. If so, its reply is due; if it is a
 * repetition, its reply is sent again. */
bool replies_await(uint32_t counter);
bool replies_one_is_due(void);

/* Replies to the command that was awaited last, in the same turn or some turns later. */
void replies_send(uint8_t type, const uint8_t *payload);

uint32_t replies_repeated(void);

#endif
