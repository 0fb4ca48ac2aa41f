/* The channel table: its records one by one, then Commit puts the whole table in force.
 *
 * There is memory for one table. A record that differs from the table in force therefore takes that
 * table out of force at once, some commands before the Commit. The same records again leave the
 * table running. */
#ifndef WALLWRIGHT_TABLE_H
#define WALLWRIGHT_TABLE_H

#include "channels.h"

#include <stdbool.h>
#include <stdint.h>

/* The reason for which a command is refused; `reason` 0 means it is not refused. */
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
void table_drop(void); /* takes the table out of force; the caller has stopped everything */
bool table_is_whole(void); /* whether the memory still contains what was committed */

#endif
