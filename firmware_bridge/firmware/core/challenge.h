/* The opening of a session: the host's challenge, the board's identity, and the proofs of both that
 * they have the device key. Nothing here changes the session or the board before the host's proof
 * has been accepted. See docs/PROTOCOL.md. */
#ifndef WALLWRIGHT_CHALLENGE_H
#define WALLWRIGHT_CHALLENGE_H

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

void challenge_begin(void); /* at the start */

/* Takes an Identify. It is answered in a later turn; a repeated one is answered alike. */
void challenge_identify(const struct frame *identify);

/* Whether this frame is an Authenticate with the host's proof, and the first of its session; then
 * `counter` is set to the counter of the frame. A wrong proof ends the challenge. */
bool challenge_is_met(const struct frame *frame, uint32_t *counter);

/* Whether this frame repeats the Authenticate that began the session, which had this counter. */
bool challenge_was_met(const struct frame *frame, uint32_t counter);

/* The keys of the session, after the challenge was met. */
const uint8_t *challenge_keys(void);

bool challenge_turn(void); /* true if the next turn can continue without time passing */

#endif
