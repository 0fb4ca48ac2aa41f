/* The keys of the session, and the tag of each frame: the first four bytes of the SipHash-2-4 of a
 * counter and the frame. See docs/reference/PROTOCOL.md. */
#ifndef WALLWRIGHT_SEAL_H
#define WALLWRIGHT_SEAL_H

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

#define SEAL_KEY 16u
#define MOST_FORGED 64u /* frames with a wrong tag after which the session ends */

void seal_begin(void); /* at the start: no session */

/* A session begins: the host's key, then the board's. */
void seal_open(const uint8_t keys[2 * SEAL_KEY]);
bool seal_is_open(void);

/* Whether a received frame has the tag of the host's key for this counter. If not, it is counted,
 * and the session ends after MOST_FORGED of them. */
bool seal_is_genuine(const struct frame *frame, uint32_t counter);

/* Puts a frame with its tag on the line, which must have room for WIRE_MAX_FRAME bytes. The
 * sequence number is the lowest byte of the counter. Does nothing without a session. */
void seal_put(uint8_t address, uint32_t counter, uint8_t type, const uint8_t *payload);

#endif
