#include "seal.h"

#include "siphash.h"

#include <string.h>

static uint8_t host_key[SEAL_KEY];
static uint8_t board_key[SEAL_KEY];
static bool open;
static uint8_t forged;

void seal_begin(void) {
    open = false;
}

void seal_open(const uint8_t keys[2 * SEAL_KEY]) {
    memcpy(host_key, keys, SEAL_KEY);
    memcpy(board_key, keys + SEAL_KEY, SEAL_KEY);
    open = true;
    forged = 0;
}

bool seal_is_open(void) {
    return open;
}

static void compute(const uint8_t *key, uint32_t counter, const uint8_t header[FRAME_HEADER],
                    const uint8_t *payload, uint8_t *digest) {
    uint8_t bytes[4];
    wire_put_u32(bytes, counter);
    siphash_begin(key);
    siphash_add(bytes, sizeof bytes);
    siphash_add(header, FRAME_HEADER);
    siphash_add(payload, frame_payload_size(header[2]));
    siphash_end(digest);
}

bool seal_is_genuine(const struct frame *frame, uint32_t counter) {
    if (!open) {
        return false;
    }
    if (frame->tag != 0) {
        const uint8_t header[FRAME_HEADER] = {frame->address, frame->sequence, frame->type};
        uint8_t digest[SIPHASH_SIZE];
        compute(host_key, counter, header, frame->payload, digest);
        uint8_t difference = 0;
        for (uint8_t at = 0; at < FRAME_TAG; at++) {
            difference |= (uint8_t)(digest[at] ^ frame->tag[at]);
        }
        if (difference == 0) {
            return true;
        }
    }
    if (++forged == MOST_FORGED) {
        open = false;
    }
    return false;
}

void seal_put(uint8_t address, uint32_t counter, uint8_t type, const uint8_t *payload) {
    if (!open) {
        return;
    }
    const uint8_t header[FRAME_HEADER] = {address, (uint8_t)counter, type};
    uint8_t digest[SIPHASH_SIZE];
    compute(board_key, counter, header, payload, digest);
    frame_put(header, payload, digest);
}
