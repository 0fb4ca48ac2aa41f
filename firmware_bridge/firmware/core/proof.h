/* The keys of a session: HKDF-SHA256 (RFC 5869) of the device key, with both nonces as salt. It is
 * computed in slices, so that no turn of the main loop waits for it. */
#ifndef WALLWRIGHT_PROOF_H
#define WALLWRIGHT_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#define PROOF_NONCE 8u
#define PROOF_KEYS 32u /* the key of the host's frames, then the key of the board's */

void proof_begin(const uint8_t nonces[2 * PROOF_NONCE]); /* the host's, then the board's */
bool proof_go_on(void); /* computes one slice; true once the keys are complete */
void proof_read(uint8_t keys[PROOF_KEYS]);

#endif
