/* One record of the channel table: its validation, and the storing of its fields. */
#ifndef WALLWRIGHT_RECORDS_H
#define WALLWRIGHT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

uint8_t record_is_wrong(const uint8_t *record); /* the reason as a `Refusal`, or 0 */
bool record_store(const uint8_t *record);       /* false: no axis is free */
void record_leave_axis(uint8_t index);          /* frees the axis of a channel, if it has one */

#endif
