/* The draft of the next channel table: the records that have come since the last Commit. The table
 * in force is not affected until `setup_commit` adopts the draft. */
#ifndef WALLWRIGHT_DRAFT_H
#define WALLWRIGHT_DRAFT_H

#include "state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the configured part of a channel: the longest is that of a motor. */
#define CONFIGURED offsetof(struct channel, plug.output)
_Static_assert(offsetof(struct channel, sensor.state) <= CONFIGURED &&
                   offsetof(struct channel, rail.axis) <= CONFIGURED &&
                   offsetof(struct channel, unit.output) <= CONFIGURED &&
                   offsetof(struct channel, meter.mean) <= CONFIGURED,
               "a draft has the configured part of every kind of channel");

struct draft {
    uint8_t channels[MOST_CHANNELS][CONFIGURED];
    struct axis_record axes[AXES]; /* `channel` is WIRE_NONE where no record has come */
    uint16_t crc[MOST_CHANNELS];   /* of each record, from 0 */
};
extern struct draft draft;

struct channel draft_channel(uint8_t index); /* with nothing but the configured part */
void draft_begin(void); /* an empty draft */
uint8_t draft_add(const uint8_t *record); /* returns the reason as a `Refusal`, or 0 */

/* Whether the draft consists of this number of records with this CRC. */
bool draft_complete(uint8_t count, uint16_t crc);

bool draft_refers_to_sensors(uint8_t count); /* every stop and every hold is a sensor of the draft */
/* No other channel uses the pin of a safety input: the board samples a pin for one channel only. */
bool draft_keeps_safety_pins(uint8_t count);
bool draft_has_curtain(uint8_t count); /* if the limits of the board require it */
bool draft_fits(uint8_t count);              /* into the board's outputs and sensors */

#endif
