/* One record of the channel table: its validation, and its fields as a channel. */
#ifndef WALLWRIGHT_RECORDS_H
#define WALLWRIGHT_RECORDS_H

#include "state.h"

#include <stdint.h>

uint8_t record_is_wrong(const uint8_t *record); /* the reason as a `Refusal`, or 0 */
void record_read(const uint8_t *record, struct channel *channel);
void record_read_axis(const uint8_t *record, struct axis_record *axis); /* of an axis's record */

#endif
