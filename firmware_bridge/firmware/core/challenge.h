/* The opening of a session: the host's challenge, the board's identity, and the proofs of both that
 * they have the device key. Nothing here changes the session or the board before the host's proof
 * has been accepted. See docs/reference/PROTOCOL.md.
 *
 * Anybody on the line can send an Identify, and the keys that answer it take 47 ms on the AVR. So
 * several challenges exist at a time: a later one neither restarts the computation for an earlier one, nor
 * ends it, and an answered one is kept for CHALLENGE_HOLD_MICROS. What has no place is dropped; a
 * host repeats it. */
#ifndef WALLWRIGHT_CHALLENGE_H
#define WALLWRIGHT_CHALLENGE_H

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

#define CHALLENGES 3u
#define CHALLENGE_HOLD_MICROS UINT32_C(100000)

void challenge_begin(void); /* at the start */

/* The hash of the sources of this build. */
uint32_t challenge_build(void);

/* Takes an Identify. It is answered in a later turn; a repeated one is answered alike. */
void challenge_identify(const struct frame *identify);

/* Refuses an Identify. A refusal outside a session has no tag. */
void challenge_refuse(const struct frame *identify, uint8_t reason);

/* Whether this frame is an Authenticate with the host's proof, and the first of its session; then
 * `counter` is set to the counter of the frame. After MOST_WRONG_PROOFS a challenge ends. */
bool challenge_is_met(const struct frame *frame, uint32_t *counter);

/* Whether this frame repeats the Authenticate that began the session, which had this counter. */
bool challenge_was_met(const struct frame *frame, uint32_t counter);

/* The keys of the session, as soon as the challenge was met. */
const uint8_t *challenge_keys(void);

bool challenge_turn(uint32_t now); /* true if the next turn can continue without time passing */

#endif
