/* An AVR shifts a word by one bit at a time, which takes most of the time of a round. Here a word is
 * rotated by whole bytes, which costs nothing, and by the remaining bits with one multiplication a
 * byte: half the cycles of shifts. */
#include "siphash.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read from bytes in place");

#define FINAL_ROUNDS 4u
#define INLINE static inline __attribute__((always_inline))

union word {
    uint8_t byte[8];
    uint32_t half[2];
};

/* At fixed addresses, which an AVR reaches in fewer cycles than those behind a pointer. */
static union word v0, v1, v2, v3;
static union word block;
static uint8_t size_so_far; /* of the message, modulo 256 */

INLINE void add(union word *to, const union word *word) {
    to->half[0] += word->half[0];
    to->half[1] += word->half[1] + (to->half[0] < word->half[0]);
}

INLINE void mix(union word *to, const union word *word) {
    to->half[0] ^= word->half[0];
    to->half[1] ^= word->half[1];
}

INLINE void swap_halves(union word *word) {
    const uint32_t low = word->half[0];
    word->half[0] = word->half[1];
    word->half[1] = low;
}

/* Rotates to the left by 8 * `bytes` + `bits`, where `bits` is 1 to 7. */
INLINE uint8_t rotate_byte(union word *word, uint8_t to, uint8_t byte, uint8_t bits, uint8_t carried) {
    const uint16_t product = (uint16_t)(byte * (uint16_t)(1u << bits));
    word->byte[to % 8u] = (uint8_t)(product | carried);
    return (uint8_t)(product >> 8);
}

/* Rotates to the left by 8 * `bytes` + `bits`, where `bits` is 1 to 7. Written out, because this
 * compiler for the AVR does not unroll the loop. */
INLINE void rotate(union word *word, uint8_t bytes, uint8_t bits) {
    const union word from = *word;
    uint8_t carried = (uint8_t)(from.byte[7] >> (8u - bits));
    carried = rotate_byte(word, bytes, from.byte[0], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 1u), from.byte[1], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 2u), from.byte[2], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 3u), from.byte[3], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 4u), from.byte[4], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 5u), from.byte[5], bits, carried);
    carried = rotate_byte(word, (uint8_t)(bytes + 6u), from.byte[6], bits, carried);
    rotate_byte(word, (uint8_t)(bytes + 7u), from.byte[7], bits, carried);
}

INLINE void rotate_16(union word *word) {
    const uint16_t highest = (uint16_t)(word->half[1] >> 16);
    word->half[1] = word->half[1] << 16 | word->half[0] >> 16;
    word->half[0] = word->half[0] << 16 | highest;
}

static __attribute__((noinline)) void one_round(void) {
    add(&v0, &v1);
    rotate(&v1, 1, 5);
    mix(&v1, &v0);
    swap_halves(&v0);
    add(&v2, &v3);
    rotate_16(&v3);
    mix(&v3, &v2);
    add(&v0, &v3);
    rotate(&v3, 2, 5);
    mix(&v3, &v0);
    add(&v2, &v1);
    rotate(&v1, 2, 1);
    mix(&v1, &v2);
    swap_halves(&v2);
}

static void compress(void) {
    mix(&v3, &block);
    one_round();
    one_round();
    mix(&v0, &block);
}

static void begin_word(union word *word, uint32_t low, uint32_t high, const uint8_t *key) {
    memcpy(word->byte, key, sizeof word->byte);
    word->half[0] ^= low;
    word->half[1] ^= high;
}

void siphash_begin(const uint8_t *key) {
    begin_word(&v0, 0x70736575u, 0x736F6D65u, key);
    begin_word(&v1, 0x6E646F6Du, 0x646F7261u, key + 8);
    begin_word(&v2, 0x6E657261u, 0x6C796765u, key);
    begin_word(&v3, 0x79746573u, 0x74656462u, key + 8);
    size_so_far = 0;
}

void siphash_add(const uint8_t *bytes, uint8_t size) {
    for (uint8_t at = 0; at < size; at++) {
        block.byte[size_so_far % 8u] = bytes[at];
        size_so_far++;
        if (size_so_far % 8u == 0) {
            compress();
        }
    }
}

void siphash_end(uint8_t *digest) {
    const uint8_t rest = size_so_far % 8u;
    memset(block.byte + rest, 0, 8u - rest);
    block.byte[7] = size_so_far;
    compress();
    v2.byte[0] ^= 0xFFu;
    for (uint8_t left = FINAL_ROUNDS; left > 0; left--) {
        one_round();
    }
    mix(&v0, &v1);
    mix(&v0, &v2);
    mix(&v0, &v3);
    memcpy(digest, v0.byte, SIPHASH_SIZE);
}
