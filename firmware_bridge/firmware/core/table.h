/* The channel table: records as they come, then the whole of it put in force.
 *
 * There is room for one table. A record that differs from the table in force therefore takes that
 * one out of force at once, some commands before its Commit would; the same records again leave it
 * running, as ever. */
#ifndef WALLWRIGHT_TABLE_H
#define WALLWRIGHT_TABLE_H

#include "channels.h"

#include <stdbool.h>
#include <stdint.h>

/* What a command is refused for; `reason` 0 is no refusal. */
struct refusal {
    uint8_t reason;
    uint8_t channel;
};

void table_begin(void);
bool table_in_force(void);
uint8_t table_channels(void);
uint16_t table_crc(void); /* 0 while none is in force */
struct refusal table_configure(const uint8_t *record);
struct refusal table_commit(uint8_t count, uint16_t crc);
void table_drop(void); /* nothing may run any more */
bool table_is_whole(void); /* whether memory still holds what was committed */

#endif
