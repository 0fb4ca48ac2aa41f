/* SHA-256 (FIPS 180-4) of whole blocks, a few rounds at a time, so that no turn of the main loop
 * waits for a digest. The caller pads the message. */
#ifndef WALLWRIGHT_SHA256_H
#define WALLWRIGHT_SHA256_H

#include <stdbool.h>
#include <stdint.h>

#define SHA256_BLOCK 64u
#define SHA256_DIGEST 32u

struct sha256 {
    uint32_t hash[8];
    uint32_t work[8];      /* a to h of the present block */
    uint32_t schedule[16]; /* the last sixteen words of the message schedule */
    uint8_t round;
};

void sha256_begin(struct sha256 *sha);
void sha256_word(struct sha256 *sha, uint8_t at, uint32_t word); /* sets one of a block's 16 */
void sha256_begin_block(struct sha256 *sha);                     /* after its words are set */
bool sha256_go_on(struct sha256 *sha, uint8_t rounds);           /* true: the block is complete */

#endif
