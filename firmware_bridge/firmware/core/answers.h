/* Replies to commands, and the lookup of the channel that a command names.
 *
 * A function that refuses the command sends `Refused` itself, then returns null or false. */
#ifndef WALLWRIGHT_ANSWERS_H
#define WALLWRIGHT_ANSWERS_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

void answer_ok(void);
void answer_refused(uint8_t reason, uint8_t channel);
void answer_value(int32_t value);

struct channel *known_channel(uint8_t number);
struct channel *channel_of_kind(uint8_t number, uint8_t kind);
bool table_is_there(void);
bool room_for_end(uint8_t channel); /* whether the event queue has room for a motion's end */

#endif
