/* What the storage has in two copies, each with a CRC-16 at its end (low byte first), so that damage of
 * one copy costs nothing. The first byte of each is its version. A copy that is damaged, or that
 * differs from the first one, is repaired from the sound one. */
#ifndef WALLWRIGHT_TWIN_H
#define WALLWRIGHT_TWIN_H

#include "../port.h"

#include <stdbool.h>
#include <stdint.h>

#define TWIN_VERSION 1u /* of every layout */

/* Bytes of a copy: version, content and CRC. */
#define TWIN_IDENTITY_SIZE 45u
#define TWIN_LIMITS_SIZE 28u
#define TWIN_STARTS_SIZE 7u
#define TWIN_REFERENCE_SIZE 5u
#define TWIN_CRC 2u

enum twin_state {
    TWIN_ERASED,  /* never written, or the first writing was interrupted: the second copy is erased */
    TWIN_DAMAGED, /* written once, and neither copy is sound */
    TWIN_SOUND,
};

void twin_begin(void); /* at the start: nothing is repaired that was not read */

/* Reads the first copy, or the second if the first is damaged, or for the identity the place that
 * version 0.1 used. If the value is TWIN_SOUND, `to` has its content: all bytes but version and CRC.
 * Only to be called while the storage is ready. */
enum twin_state twin_read(enum stored value, uint8_t *to);

/* The number of starts gets this content, in the following calls of `twin_turn`: first the
 * copy that may be damaged, then the one that was read, so that one is always sound. */
void twin_put_starts(const uint8_t *content);

/* Writes or erases the next byte of a copy that differs from the one that was read; afterwards
 * erases the place of version 0.1. Only to be called while the storage is ready. */
void twin_turn(void);
bool twin_has_put(void); /* what was put is in both copies */

#endif
