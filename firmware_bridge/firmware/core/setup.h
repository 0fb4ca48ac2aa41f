/* The channel table: its records one by one, then Commit puts the whole table in force.
 *
 * There is memory for one table. A record that differs from the table in force therefore takes that
 * table out of force at once, some commands before the Commit. The same records again leave the
 * table running. */
#ifndef WALLWRIGHT_SETUP_H
#define WALLWRIGHT_SETUP_H

#include <stdbool.h>
#include <stdint.h>

/* The reason for which a command is refused; `reason` 0 means it is not refused. */
struct refusal {
    uint8_t reason;
    uint8_t channel;
};

void setup_begin(void);
struct refusal setup_configure(const uint8_t *record);
struct refusal setup_commit(uint8_t count, uint16_t crc);
void setup_drop(void); /* stops everything without ramps and takes the table out of force */
bool setup_is_whole(void); /* whether the memory still contains what was committed */

#endif
