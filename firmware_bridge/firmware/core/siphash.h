/* SipHash-2-4 (Aumasson and Bernstein, 2012): 64 bits over a short message, with a key of 16 bytes. */
#ifndef WALLWRIGHT_SIPHASH_H
#define WALLWRIGHT_SIPHASH_H

#include <stdint.h>

#define SIPHASH_KEY 16u
#define SIPHASH_SIZE 8u

/* One digest at a time: `siphash_begin`, any number of `siphash_add`, `siphash_end`. */
void siphash_begin(const uint8_t *key);
void siphash_add(const uint8_t *bytes, uint8_t size);
void siphash_end(uint8_t *digest);

#endif
