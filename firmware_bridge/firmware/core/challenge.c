#include "challenge.h"

#include "../port.h"
#include "identity.h"
#include "proof.h"
#include "siphash.h"
#include "state.h"

#include <string.h>

#ifndef BUILD
#define BUILD "0000" /* four bytes of the build's hash; the Makefile defines them */
#endif
#define FIRMWARE 1u
#define PROOF_SIZE SIPHASH_SIZE
#define IDENTITY_SIZE (WIRE_IDENTITY_SIZE - PROOF_SIZE) /* without the proof */

/* The inputs of the hashes begin with these, which no counter of a frame equals. */
static const uint8_t for_proof[4] = {0xFF, 0xFF, 0xFF, 0xFF};
static const uint8_t for_nonce[4] = {0xFE, 0xFF, 0xFF, 0xFF};

/* MET: the host's proof was right, and its session is the present one, or was. */
enum stage { NO_CHALLENGE, DERIVING, READY, ANSWERED, MET };

static enum stage stage;
static uint8_t number; /* sequence number of the Identify */
static uint8_t identify_payload[WIRE_IDENTIFY_SIZE];
static uint8_t identity_payload[WIRE_IDENTITY_SIZE];
static uint8_t board_nonce[PROOF_NONCE];
static uint8_t keys[PROOF_KEYS];
static uint32_t challenges; /* since the start */

void challenge_begin(void) {
    stage = NO_CHALLENGE;
    challenges = 0;
}

const uint8_t *challenge_keys(void) {
    return keys;
}

/* Without a random source the nonce is new because no start and challenge have the same numbers,
 * and unpredictable because the hash has the device key. */
static void make_nonce(void) {
    uint8_t key[SIPHASH_KEY] = {0};
    uint8_t numbers[8];
    memcpy(key, identity.key, identity.key_size < SIPHASH_KEY ? identity.key_size : SIPHASH_KEY);
    wire_put_u32(numbers, identity.boots);
    wire_put_u32(numbers + 4, challenges++);
    siphash_begin(key);
    siphash_add(for_nonce, sizeof for_nonce);
    siphash_add(identity.serial, SERIAL_SIZE);
    siphash_add(numbers, sizeof numbers);
    siphash_end(board_nonce);
}

/* The proof over Identify and Identity, as frames with sequence number 0. */
static void compute_proof(const uint8_t *key, uint8_t proof[PROOF_SIZE]) {
    const uint8_t asked[FRAME_HEADER] = {identity.address, 0, WIRE_IDENTIFY};
    const uint8_t answered[FRAME_HEADER] = {identity.address, 0, WIRE_IDENTITY};
    siphash_begin(key);
    siphash_add(for_proof, sizeof for_proof);
    siphash_add(asked, sizeof asked);
    siphash_add(identify_payload, sizeof identify_payload);
    siphash_add(answered, sizeof answered);
    siphash_add(identity_payload, IDENTITY_SIZE);
    siphash_end(proof);
}

static void put_identity(void) {
    const uint8_t header[FRAME_HEADER] = {identity.address, number, WIRE_IDENTITY};
    frame_put(header, identity_payload, 0);
    if (stage == READY) {
        stage = ANSWERED;
    }
}

static void refuse_version(uint8_t sequence) {
    const uint8_t header[FRAME_HEADER] = {identity.address, sequence, WIRE_REFUSED};
    uint8_t payload[WIRE_REFUSED_SIZE];
    wire_refused(payload, REFUSAL_WRONG_VERSION, WIRE_NONE);
    frame_put(header, payload, 0);
}

static bool is_repeated(const struct frame *identify) {
    return stage != NO_CHALLENGE && number == identify->sequence &&
           memcmp(identify_payload, identify->payload, sizeof identify_payload) == 0;
}

void challenge_identify(const struct frame *identify) {
    if (wire_identify_protocol(identify->payload) != WIRE_PROTOCOL) {
        refuse_version(identify->sequence);
    } else if (!is_repeated(identify)) {
        number = identify->sequence;
        memcpy(identify_payload, identify->payload, sizeof identify_payload);
        make_nonce();
        uint8_t nonces[2 * PROOF_NONCE];
        memcpy(nonces, wire_identify_nonce(identify_payload), PROOF_NONCE);
        memcpy(nonces + PROOF_NONCE, board_nonce, PROOF_NONCE);
        proof_begin(nonces);
        stage = DERIVING;
    } else if (stage == ANSWERED || stage == MET) {
        put_identity();
    }
}

static void answer(void) {
    const uint8_t no_proof[PROOF_SIZE] = {0};
    const uint32_t hash = (uint32_t)table_channels() << 16 | table_crc();
    proof_read(keys);
    wire_identity(identity_payload, WIRE_PROTOCOL, FIRMWARE, CHIP, (const uint8_t *)BUILD,
                  identity.serial, identity.boots, port_reset_cause(), hash, table_crc(),
                  board_nonce, no_proof);
    compute_proof(keys + SIPHASH_KEY, identity_payload + IDENTITY_SIZE);
}

bool challenge_turn(void) {
    if (stage == DERIVING) {
        if (proof_go_on()) {
            answer();
            stage = READY;
        }
        return true;
    }
    if (stage == READY && port_link_room() >= WIRE_MAX_FRAME) {
        put_identity();
    }
    return false;
}

static bool has_proof(const struct frame *frame) {
    uint8_t proof[PROOF_SIZE];
    uint8_t difference = 0;
    compute_proof(keys, proof);
    for (uint8_t at = 0; at < PROOF_SIZE; at++) {
        difference |= (uint8_t)(proof[at] ^ wire_authenticate_proof(frame->payload)[at]);
    }
    return difference == 0;
}

bool challenge_is_met(const struct frame *frame, uint32_t *counter) {
    *counter = number + UINT32_C(1);
    if (stage != ANSWERED || frame->type != WIRE_AUTHENTICATE ||
        frame->sequence != (uint8_t)*counter) {
        return false;
    }
    stage = has_proof(frame) ? MET : NO_CHALLENGE;
    return stage == MET;
}

bool challenge_was_met(const struct frame *frame, uint32_t counter) {
    return stage == MET && frame->type == WIRE_AUTHENTICATE &&
           counter == number + UINT32_C(1) && has_proof(frame);
}
