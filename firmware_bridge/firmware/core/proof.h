/* The proof that the board knows its key: the first half of HMAC-SHA256(key, nonce + serial),
 * worked out in slices. */
#ifndef WALLWRIGHT_PROOF_H
#define WALLWRIGHT_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#define PROOF_SIZE 8u
#define PROOF_NONCE 8u

void proof_begin(const uint8_t *nonce); /* which has to stay until it is done */
bool proof_go_on(void); /* a slice more; true once it is done */
void proof_read(uint8_t *proof);

#endif
