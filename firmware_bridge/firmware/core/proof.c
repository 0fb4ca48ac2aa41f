/* HKDF takes two HMACs: the first extracts a key from the device key, the second expands it. An HMAC
 * of a short message takes four blocks: inner key, message, outer key, digest. */
#include "proof.h"

#include "identity.h"
#include "sha256.h"
#include "wire.h"

#include <string.h>

#define ROUNDS_A_SLICE 8u /* about 550 us on the AVR, the sampling tick included */
#define INNER 0x36u
#define OUTER 0x5Cu
#define LONGEST 32u /* bytes of a key or message */
#define INFO "wallwright link 2\x01" /* with the number of the block, which is 1 */

_Static_assert(WIRE_PROTOCOL == 2, "the info of the keys names the version of the protocol");
_Static_assert(MOST_KEY <= LONGEST && sizeof INFO - 1u <= LONGEST, "a message fits");

enum stage { INNER_KEY, INNER_MESSAGE, OUTER_KEY, OUTER_DIGEST };

struct bytes {
    uint8_t bytes[LONGEST];
    uint8_t size;
};

static struct sha256 sha;
static struct bytes key;
static struct bytes message; /* of the present HMAC, then the digest of its inner blocks */
static bool expanding;
static enum stage stage;

static void set(struct bytes *to, const void *bytes, uint8_t size) {
    memcpy(to->bytes, bytes, size);
    to->size = size;
}

static void read_digest(uint8_t *to) {
    for (uint8_t at = 0; at < SHA256_DIGEST; at++) {
        to[at] = (uint8_t)(sha.hash[at / 4u] >> (24u - 8u * (at % 4u)));
    }
}

static void set_block(const uint8_t *block) {
    for (uint8_t word = 0; word < 16; word++) {
        const uint8_t *const from = block + 4u * word;
        sha256_word(&sha, word,
                    (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
                        from[3]);
    }
    sha256_begin_block(&sha);
}

static void begin_key(uint8_t pad) {
    uint8_t block[SHA256_BLOCK];
    for (uint8_t at = 0; at < SHA256_BLOCK; at++) {
        block[at] = (uint8_t)((at < key.size ? key.bytes[at] : 0) ^ pad);
    }
    sha256_begin(&sha);
    set_block(block);
}

/* The block after the key's: a message, a one, zeros, and the length of both blocks in bits. */
static void begin_message(const uint8_t *bytes, uint8_t size) {
    const uint16_t bits = (uint16_t)((SHA256_BLOCK + size) * 8u);
    uint8_t block[SHA256_BLOCK] = {0};
    memcpy(block, bytes, size);
    block[size] = 0x80u;
    block[SHA256_BLOCK - 2u] = (uint8_t)(bits >> 8);
    block[SHA256_BLOCK - 1u] = (uint8_t)bits;
    set_block(block);
}

static void begin_hmac(void) {
    stage = INNER_KEY;
    begin_key(INNER);
}

void proof_begin(const uint8_t nonces[2 * PROOF_NONCE]) {
    expanding = false;
    set(&key, nonces, 2u * PROOF_NONCE);
    set(&message, identity.key, identity.key_size);
    begin_hmac();
}

static void begin_expansion(void) {
    expanding = true;
    key.size = SHA256_DIGEST;
    read_digest(key.bytes);
    set(&message, INFO, sizeof INFO - 1u);
    begin_hmac();
}

bool proof_go_on(void) {
    if (!sha256_go_on(&sha, ROUNDS_A_SLICE)) {
        return false;
    }
    switch (stage) {
    case INNER_KEY:
        stage = INNER_MESSAGE;
        begin_message(message.bytes, message.size);
        return false;
    case INNER_MESSAGE:
        stage = OUTER_KEY;
        read_digest(message.bytes);
        begin_key(OUTER);
        return false;
    case OUTER_KEY:
        stage = OUTER_DIGEST;
        begin_message(message.bytes, SHA256_DIGEST);
        return false;
    case OUTER_DIGEST:
    default:
        if (!expanding) {
            begin_expansion();
            return false;
        }
        return true;
    }
}

void proof_read(uint8_t keys[PROOF_KEYS]) {
    read_digest(keys);
}
