#include "challenge.h"

#include "../port.h"
#include "clock.h"
#include "identity.h"
#include "proof.h"
#include "siphash.h"
#include "state.h"

#include <string.h>

#ifndef BUILD
#define BUILD "0000" /* four bytes of the build's hash; the Makefile defines them */
#endif
#define FIRMWARE 3u
#define PROOF_SIZE SIPHASH_SIZE
#define IDENTITY_SIZE (WIRE_IDENTITY_SIZE - PROOF_SIZE) /* without the proof */
#define MOST_WRONG_PROOFS 64u

/* The inputs of the hashes begin with these, which no counter of a frame equals. */
static const uint8_t for_proof[4] = {0xFF, 0xFF, 0xFF, 0xFF};
static const uint8_t for_nonce[4] = {0xFE, 0xFF, 0xFF, 0xFF};

/* MET: the host's proof was right, and its session is the present one, or was. */
enum stage { NO_CHALLENGE, WAITING, DERIVING, READY, ANSWERED, MET };

struct challenge {
    uint8_t stage;
    uint8_t number; /* sequence number of the Identify */
    uint8_t wrong;  /* wrong proofs */
    bool held;      /* the host may still be on the way with its proof */
    uint32_t until; /* while `held`: its end */
    uint8_t host_nonce[PROOF_NONCE];
    uint8_t board_nonce[PROOF_NONCE];
    uint8_t channels; /* of the table in force, as the identity says */
    uint16_t crc;
    uint8_t keys[PROOF_KEYS];
};
static struct challenge challenges[CHALLENGES];
static uint8_t last_taken, last_derived;
static uint32_t counted; /* challenges since the start */

/* The proof that began the session: a repetition of the Authenticate has it too. */
static bool has_met;
static uint8_t met_number, met_proof[PROOF_SIZE];
static const uint8_t *met_keys;

void challenge_begin(void) {
    memset(challenges, 0, sizeof challenges);
    last_taken = last_derived = 0;
    counted = 0;
    has_met = false;
}

const uint8_t *challenge_keys(void) {
    return met_keys;
}

uint32_t challenge_build(void) {
    uint32_t build;
    memcpy(&build, BUILD, sizeof build);
    return build;
}

/* Without a random source the nonce is new because no start and challenge have the same numbers,
 * and unpredictable because the hash has the device key. */
static void make_nonce(uint8_t *nonce) {
    uint8_t key[SIPHASH_KEY] = {0};
    uint8_t numbers[8];
    memcpy(key, identity.key, identity.key_size < SIPHASH_KEY ? identity.key_size : SIPHASH_KEY);
    wire_put_u32(numbers, identity.boots);
    wire_put_u32(numbers + 4, counted++);
    siphash_begin(key);
    siphash_add(for_nonce, sizeof for_nonce);
    siphash_add(identity.serial, SERIAL_SIZE);
    siphash_add(numbers, sizeof numbers);
    siphash_end(nonce);
}

/* Without the proof. */
static void write_identity(const struct challenge *of, uint8_t *payload) {
    const uint8_t no_proof[PROOF_SIZE] = {0};
    const uint32_t hash = (uint32_t)of->channels << 16 | of->crc;
    wire_identity(payload, WIRE_PROTOCOL, FIRMWARE, CHIP, (const uint8_t *)BUILD, identity.serial,
                  (uint16_t)identity.boots, port_reset_cause(), hash, of->crc, of->board_nonce,
                  no_proof);
}

/* The proof over Identify and Identity, as frames with sequence number 0. */
static void compute_proof(const struct challenge *of, const uint8_t *key, const uint8_t *payload,
                          uint8_t proof[PROOF_SIZE]) {
    const uint8_t asked[FRAME_HEADER] = {identity.address, 0, WIRE_IDENTIFY};
    const uint8_t answered[FRAME_HEADER] = {identity.address, 0, WIRE_IDENTITY};
    const uint8_t protocol[1] = {WIRE_PROTOCOL};
    siphash_begin(key);
    siphash_add(for_proof, sizeof for_proof);
    siphash_add(asked, sizeof asked);
    siphash_add(protocol, sizeof protocol);
    siphash_add(of->host_nonce, PROOF_NONCE);
    siphash_add(answered, sizeof answered);
    siphash_add(payload, IDENTITY_SIZE);
    siphash_end(proof);
}

static void put_identity(const struct challenge *of) {
    const uint8_t header[FRAME_HEADER] = {identity.address, of->number, WIRE_IDENTITY};
    uint8_t payload[WIRE_IDENTITY_SIZE];
    write_identity(of, payload);
    compute_proof(of, of->keys + SIPHASH_KEY, payload, payload + IDENTITY_SIZE);
    frame_put(header, payload, 0);
}

void challenge_refuse(const struct frame *identify, uint8_t reason) {
    const uint8_t header[FRAME_HEADER] = {identity.address, identify->sequence, WIRE_REFUSED};
    uint8_t payload[WIRE_REFUSED_SIZE];
    wire_refused(payload, reason, WIRE_NONE);
    frame_put(header, payload, 0);
}

/* Taking challenges */

static struct challenge *repeated(const struct frame *identify) {
    for (uint8_t at = 0; at < CHALLENGES; at++) {
        struct challenge *const each = &challenges[at];
        if (each->stage != NO_CHALLENGE && each->number == identify->sequence &&
            memcmp(each->host_nonce, wire_identify_nonce(identify->payload), PROOF_NONCE) == 0) {
            return each;
        }
    }
    return 0;
}

/* One that is unused, or else the one that was answered the longest time ago. */
static struct challenge *free_place(void) {
    for (uint8_t step = 1; step <= CHALLENGES; step++) {
        const uint8_t at = (uint8_t)((uint8_t)(last_taken + step) % CHALLENGES);
        const uint8_t stage = challenges[at].stage;
        if (stage == NO_CHALLENGE || ((stage == ANSWERED || stage == MET) && !challenges[at].held)) {
            last_taken = at;
            return &challenges[at];
        }
    }
    return 0;
}

void challenge_identify(const struct frame *identify) {
    if (wire_identify_protocol(identify->payload) != WIRE_PROTOCOL) {
        challenge_refuse(identify, REFUSAL_WRONG_VERSION);
        return;
    }
    struct challenge *place = repeated(identify);
    if (place) {
        if (place->stage == ANSWERED || place->stage == MET) {
            put_identity(place);
        }
        return;
    }
    place = free_place();
    if (place) {
        *place = (struct challenge){.stage = WAITING, .number = identify->sequence};
        memcpy(place->host_nonce, wire_identify_nonce(identify->payload), PROOF_NONCE);
    }
}

/* Answering them, one after the other */

static void begin_derivation(struct challenge *of) {
    uint8_t nonces[2 * PROOF_NONCE];
    make_nonce(of->board_nonce);
    memcpy(nonces, of->host_nonce, PROOF_NONCE);
    memcpy(nonces + PROOF_NONCE, of->board_nonce, PROOF_NONCE);
    proof_begin(nonces);
    of->stage = DERIVING;
}

static void complete(struct challenge *of) {
    proof_read(of->keys);
    of->channels = table_channels();
    of->crc = table_crc();
    of->stage = READY;
}

/* The one whose keys are being computed, or the next that waits for it; 0: none. */
static struct challenge *derived(void) {
    for (uint8_t step = 0; step < CHALLENGES; step++) {
        const uint8_t at = (uint8_t)((uint8_t)(last_derived + step) % CHALLENGES);
        if (challenges[at].stage == WAITING || challenges[at].stage == DERIVING) {
            last_derived = at;
            return &challenges[at];
        }
    }
    return 0;
}

bool challenge_turn(uint32_t now) {
    for (uint8_t at = 0; at < CHALLENGES; at++) {
        struct challenge *const each = &challenges[at];
        if (each->stage == READY && port_link_room() >= WIRE_MAX_FRAME) {
            put_identity(each);
            each->stage = ANSWERED;
            each->held = true;
            each->until = now + CHALLENGE_HOLD_MICROS;
        }
        each->held = each->held && !time_reached(now, each->until);
    }
    struct challenge *const next = derived();
    if (!next) {
        return false;
    }
    if (next->stage == WAITING) {
        begin_derivation(next);
    } else if (proof_go_on()) {
        complete(next);
    }
    return true;
}

/* The host's proof */

static bool is_equal(const uint8_t *one, const uint8_t *other) {
    uint8_t difference = 0;
    for (uint8_t at = 0; at < PROOF_SIZE; at++) {
        difference |= (uint8_t)(one[at] ^ other[at]);
    }
    return difference == 0;
}

static bool is_met_by(struct challenge *challenge, const uint8_t *proof) {
    uint8_t payload[WIRE_IDENTITY_SIZE];
    uint8_t expected[PROOF_SIZE];
    write_identity(challenge, payload);
    compute_proof(challenge, challenge->keys, payload, expected);
    if (!is_equal(expected, proof)) {
        challenge->wrong++;
        if (challenge->wrong == MOST_WRONG_PROOFS) {
            challenge->stage = NO_CHALLENGE;
        }
        return false;
    }
    challenge->stage = MET;
    has_met = true;
    met_number = challenge->number;
    met_keys = challenge->keys;
    memcpy(met_proof, proof, PROOF_SIZE);
    return true;
}

/* Without a provisioned identity the key is public, so no proof is accepted. */
bool challenge_is_met(const struct frame *frame, uint32_t *counter) {
    if (frame->type != WIRE_AUTHENTICATE || !identity.provisioned) {
        return false;
    }
    for (uint8_t at = 0; at < CHALLENGES; at++) {
        struct challenge *const each = &challenges[at];
        *counter = each->number + UINT32_C(1);
        if (each->stage == ANSWERED && frame->sequence == (uint8_t)*counter &&
            is_met_by(each, wire_authenticate_proof(frame->payload))) {
            return true;
        }
    }
    return false;
}

bool challenge_was_met(const struct frame *frame, uint32_t counter) {
    return has_met && frame->type == WIRE_AUTHENTICATE && counter == met_number + UINT32_C(1) &&
           is_equal(wire_authenticate_proof(frame->payload), met_proof);
}
