/* One record of the channel table: its validation, and the fields that the board stores. */
#ifndef WALLWRIGHT_RECORDS_H
#define WALLWRIGHT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

uint8_t record_is_wrong(const uint8_t *record); /* a `Refusal`, or 0 */
bool record_store(const uint8_t *record);       /* false: there is no further axis */
void record_leave_axis(uint8_t index);          /* a channel that is none, or is no axis any more */

#endif
