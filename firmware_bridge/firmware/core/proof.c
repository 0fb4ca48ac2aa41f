/* HMAC of a short message takes four blocks: inner key, message, outer key, digest. */
#include "proof.h"

#include "identity.h"
#include "sha256.h"

#include <string.h>

#define ROUNDS_A_SLICE 8u /* about 550 us on the AVR, the sampling tick included */
#define INNER 0x36u
#define OUTER 0x5Cu
#define MESSAGE (PROOF_NONCE + SERIAL_SIZE)

enum stage { INNER_KEY, INNER_MESSAGE, OUTER_KEY, OUTER_DIGEST };

static struct sha256 sha;
static uint32_t inner[8];
static const uint8_t *nonce;
static enum stage stage;

static uint8_t key_byte(uint8_t at) {
    return at < identity.key_size ? identity.key[at] : 0;
}

static void begin_key(uint8_t pad) {
    sha256_begin(&sha);
    for (uint8_t word = 0; word < 16; word++) {
        uint32_t bytes = 0;
        for (uint8_t at = 0; at < 4; at++) {
            bytes = bytes << 8 | (uint8_t)(key_byte((uint8_t)(4 * word + at)) ^ pad);
        }
        sha256_word(&sha, word, bytes);
    }
    sha256_begin_block(&sha);
}

static uint32_t big_endian(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* The rest of the block after the key's block: `words` words are set; adds a one and the length. */
static void end_block(uint8_t words) {
    sha256_word(&sha, words, UINT32_C(0x80000000));
    for (uint8_t word = (uint8_t)(words + 1u); word < 15; word++) {
        sha256_word(&sha, word, 0);
    }
    sha256_word(&sha, 15, (SHA256_BLOCK + 4u * words) * 8u);
    sha256_begin_block(&sha);
}

static void begin_message(void) {
    for (uint8_t word = 0; word < 2; word++) {
        sha256_word(&sha, word, big_endian(nonce + 4 * word));
        sha256_word(&sha, (uint8_t)(word + 2u), big_endian(identity.serial + 4 * word));
    }
    end_block(MESSAGE / 4u);
}

static void begin_digest(void) {
    for (uint8_t word = 0; word < 8; word++) {
        sha256_word(&sha, word, inner[word]);
    }
    end_block(SHA256_DIGEST / 4u);
}

void proof_begin(const uint8_t *new_nonce) {
    nonce = new_nonce;
    stage = INNER_KEY;
    begin_key(INNER);
}

bool proof_go_on(void) {
    if (!sha256_go_on(&sha, ROUNDS_A_SLICE)) {
        return false;
    }
    switch (stage) {
    case INNER_KEY:
        stage = INNER_MESSAGE;
        begin_message();
        return false;
    case INNER_MESSAGE:
        stage = OUTER_KEY;
        memcpy(inner, sha.hash, sizeof inner);
        begin_key(OUTER);
        return false;
    case OUTER_KEY:
        stage = OUTER_DIGEST;
        begin_digest();
        return false;
    case OUTER_DIGEST:
    default:
        return true;
    }
}

void proof_read(uint8_t *proof) {
    for (uint8_t at = 0; at < PROOF_SIZE; at++) {
        proof[at] = (uint8_t)(sha.hash[at / 4] >> (24 - 8 * (at % 4)));
    }
}
