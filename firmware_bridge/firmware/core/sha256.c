#include "sha256.h"

#include "../port.h"

#include <string.h>

#define ROUNDS 64u

static const uint32_t first_hash[8] PORT_FLASH = {
    0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au,
    0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u,
};

static const uint32_t constants[ROUNDS] PORT_FLASH = {
    0x428A2F98u, 0x71374491u, 0xB5C0FBCFu, 0xE9B5DBA5u, 0x3956C25Bu, 0x59F111F1u, 0x923F82A4u,
    0xAB1C5ED5u, 0xD807AA98u, 0x12835B01u, 0x243185BEu, 0x550C7DC3u, 0x72BE5D74u, 0x80DEB1FEu,
    0x9BDC06A7u, 0xC19BF174u, 0xE49B69C1u, 0xEFBE4786u, 0x0FC19DC6u, 0x240CA1CCu, 0x2DE92C6Fu,
    0x4A7484AAu, 0x5CB0A9DCu, 0x76F988DAu, 0x983E5152u, 0xA831C66Du, 0xB00327C8u, 0xBF597FC7u,
    0xC6E00BF3u, 0xD5A79147u, 0x06CA6351u, 0x14292967u, 0x27B70A85u, 0x2E1B2138u, 0x4D2C6DFCu,
    0x53380D13u, 0x650A7354u, 0x766A0ABBu, 0x81C2C92Eu, 0x92722C85u, 0xA2BFE8A1u, 0xA81A664Bu,
    0xC24B8B70u, 0xC76C51A3u, 0xD192E819u, 0xD6990624u, 0xF40E3585u, 0x106AA070u, 0x19A4C116u,
    0x1E376C08u, 0x2748774Cu, 0x34B0BCB5u, 0x391C0CB3u, 0x4ED8AA4Au, 0x5B9CCA4Fu, 0x682E6FF3u,
    0x748F82EEu, 0x78A5636Fu, 0x84C87814u, 0x8CC70208u, 0x90BEFFFAu, 0xA4506CEBu, 0xBEF9A3F7u,
    0xC67178F2u,
};

/* Rotations to the right by a constant. An AVR rotates by one bit at a time, but whole bytes without
 * an instruction, so these are written as both; other compilers make one instruction of them. */
static inline __attribute__((always_inline)) uint32_t turned(uint32_t word, uint8_t right) {
    return word >> right | word << (32u - right);
}

static inline __attribute__((always_inline)) uint32_t rotated(uint32_t word, uint8_t right) {
    const uint8_t bytes = (uint8_t)((right + 3u) / 8u);
    const uint32_t by_bytes = bytes == 0 ? word : turned(word, (uint8_t)(8u * bytes));
    switch (right % 8u) {
    case 1:
        return turned(by_bytes, 1);
    case 2:
        return turned(turned(by_bytes, 1), 1);
    case 3:
        return turned(turned(turned(by_bytes, 1), 1), 1);
    case 5:
        return turned(turned(turned(by_bytes, 31), 31), 31);
    case 6:
        return turned(turned(by_bytes, 31), 31);
    default:
        return turned(by_bytes, 31);
    }
}

void sha256_begin(struct sha256 *sha) {
    for (uint8_t at = 0; at < 8; at++) {
        sha->hash[at] = port_flash_u32(&first_hash[at]);
    }
}

void sha256_word(struct sha256 *sha, uint8_t at, uint32_t word) {
    sha->schedule[at] = word;
}

void sha256_begin_block(struct sha256 *sha) {
    memcpy(sha->work, sha->hash, sizeof sha->work);
    sha->round = 0;
}

/* The word of this round. The schedule is a ring of the last sixteen words: after the block's own
 * words, each word replaces the one of 16 rounds ago. */
static uint32_t scheduled(struct sha256 *sha) {
    uint32_t *const word = &sha->schedule[sha->round % 16u];
    if (sha->round >= 16) {
        const uint32_t early = sha->schedule[(sha->round + 1u) % 16u];
        const uint32_t late = sha->schedule[(sha->round + 14u) % 16u];
        *word += sha->schedule[(sha->round + 9u) % 16u] +
                 (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) +
                 (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
    }
    return *word;
}

static void one_round(struct sha256 *sha) {
    uint32_t *const work = sha->work;
    const uint32_t a = work[0];
    const uint32_t e = work[4];
    const uint32_t choice = (e & work[5]) ^ (~e & work[6]);
    const uint32_t majority = (a & work[1]) ^ (a & work[2]) ^ (work[1] & work[2]);
    const uint32_t first = work[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice +
                           port_flash_u32(&constants[sha->round]) + scheduled(sha);
    const uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority;
    memmove(work + 1, work, 7 * sizeof *work);
    work[4] += first;
    work[0] = first + second;
}

bool sha256_go_on(struct sha256 *sha, uint8_t rounds) {
    for (; rounds > 0 && sha->round < ROUNDS; rounds--) {
        one_round(sha);
        sha->round++;
    }
    if (sha->round < ROUNDS) {
        return false;
    }
    for (uint8_t at = 0; at < 8; at++) {
        sha->hash[at] += sha->work[at];
    }
    return true;
}
