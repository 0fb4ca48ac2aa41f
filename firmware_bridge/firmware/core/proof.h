/* The proof that the board has its key: the first 8 bytes of HMAC-SHA256(key, nonce +
 * serial), computed in slices. */
#ifndef WALLWRIGHT_PROOF_H
#define WALLWRIGHT_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#define PROOF_SIZE 8u
#define PROOF_NONCE 8u

void proof_begin(const uint8_t *nonce); /* the nonce stays valid until the proof is complete */
bool proof_go_on(void); /* computes one slice; true once the proof is complete */
void proof_read(uint8_t *proof);

#endif
