/* The channel table comes in force and goes out of force. Configure adds one record to a draft, and
 * Commit puts the draft in force as a whole; until then the table in force keeps running. A draft
 * that equals the table in force changes nothing. */
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
void setup_check(void); /* a part of a check of the table in the memory; latches CONFIGURATION */
bool setup_is_whole(void); /* whether the memory still contains what was committed */

#endif
