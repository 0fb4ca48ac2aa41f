/* libFuzzer: arbitrary bytes on the line of a board with a table and a lease, or with no table yet.
 *
 * The first byte of the input selects whether the rest is sent as it is or as the payloads of sound
 * frames with right tags, and whether there is a table. The fuzzer thus reaches the parser with
 * noise, and the commands with noise in their payloads. */
#include "../core/challenge.h"
#include "../core/crc.h"
#include "../core/frame.h"
#include "../core/identity.h"
#include "../core/proof.h"
#include "../core/siphash.h"
#include "../core/state.h"
#include "../port.h"
#include "virtual_pins.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Sound frames with arbitrary payloads since the start, and the board's replies to all frames. Both
 * are printed at the end. */
static unsigned long fuzzed_frames;
static unsigned long replies;

__attribute__((destructor)) static void print_counts(void) {
    fprintf(stderr, "fuzzed frames: %lu, replies: %lu\n", fuzzed_frames, replies);
}

static uint8_t identity_payload[WIRE_IDENTITY_SIZE];
static uint8_t host_counter;

/* Takes what the board has sent. It goes through the decoder of the board, which is between two
 * frames now. */
static void take_sent(void) {
    uint8_t sent[4096];
    struct frame frame;
    for (uint32_t got; (got = hw_tx(sent, sizeof sent)) > 0;) {
        for (uint32_t at = 0; at < got; at++) {
            if (!frame_take(sent[at], &frame)) {
                continue;
            }
            if (frame.type == WIRE_IDENTITY) {
                memcpy(identity_payload, frame.payload, sizeof identity_payload);
            }
            replies += frame.type >= WIRE_OK && frame.tag != NULL;
        }
    }
}

/* `frame_put` writes to the board's own line to the host; takes the frame from there and sends it
 * to the board. */
static void send_frame(uint8_t type, const uint8_t *payload, const uint8_t *key) {
    const uint8_t header[FRAME_HEADER] = {0, host_counter, type};
    const uint8_t counter[4] = {host_counter++};
    uint8_t tag[SIPHASH_SIZE];
    uint8_t framed[WIRE_MAX_FRAME];
    take_sent();
    if (key != NULL) {
        siphash_begin(key);
        siphash_add(counter, sizeof counter);
        siphash_add(header, sizeof header);
        siphash_add(payload, frame_payload_size(type));
        siphash_end(tag);
    }
    frame_put(header, payload, key == NULL ? NULL : tag);
    hw_rx(framed, hw_tx(framed, sizeof framed));
}

static void send_command(uint8_t type, const uint8_t *payload) {
    send_frame(type, payload, challenge_keys());
}

static void begin_session(void) {
    static const uint8_t identify[WIRE_IDENTIFY_SIZE] = {WIRE_PROTOCOL};
    static const uint8_t proven[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t asked[FRAME_HEADER] = {0, 0, WIRE_IDENTIFY};
    static const uint8_t answered[FRAME_HEADER] = {0, 0, WIRE_IDENTITY};
    uint8_t proof[SIPHASH_SIZE];
    host_counter = 0;
    send_frame(WIRE_IDENTIFY, identify, NULL);
    hw_advance(100);
    take_sent();
    uint8_t keys[PROOF_KEYS];
    proof_read(keys);
    siphash_begin(keys);
    siphash_add(proven, sizeof proven);
    siphash_add(asked, sizeof asked);
    siphash_add(identify, sizeof identify);
    siphash_add(answered, sizeof answered);
    siphash_add(identity_payload, WIRE_IDENTITY_SIZE - SIPHASH_SIZE);
    siphash_end(proof);
    send_frame(WIRE_AUTHENTICATE, proof, NULL);
    hw_advance(100);
}

/* A table with a channel of each kind, and with every reference that one channel may have to
 * another. */
#define CHANNELS 9u
#define FIRST_PIN (PINS > 60u ? 30u : 2u)
#define LEASE_MS 1000u

static void make_record(uint8_t index, uint8_t *record) {
    static const uint8_t kinds[CHANNELS] = {KIND_MOTOR, KIND_SENSOR, KIND_SENSOR,
                                            KIND_AXIS,  KIND_OUTPUT, KIND_STRIP,
                                            KIND_DICE,  KIND_READER, KIND_ANALOG};
    static const uint8_t common[WIRE_CONFIGURE_SIZE] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, WIRE_NONE, WIRE_NONE, WIRE_NONE};
    memcpy(record, common, sizeof common);
    record[0] = index;
    record[1] = kinds[index];
    record[2] = (uint8_t)(FIRST_PIN + 2u * index);                 /* pin */
    record[3] = kinds[index] == KIND_STRIP ? 12u                   /* lamps */
                : kinds[index] >= KIND_DICE ? (uint8_t)(index % MODULE_PORTS + 1u) /* serial port */
                                            : (uint8_t)(FIRST_PIN + 1u + 2u * index);
    if (kinds[index] == KIND_ANALOG) {
        record[2] = FIRST_ANALOG_PIN;
    }
    if (kinds[index] == KIND_MOTOR) {
        record[9] = 1; /* at most 256 ms */
        record[12] = 1;
        record[13] = record[14] = 2;
        record[35] = FLAG_GUARDED;
        record[36] = 50; /* dead time in milliseconds */
    }
    if (kinds[index] == KIND_SENSOR) {
        record[5] = (uint8_t)(index - 1u); /* debounced, or not */
    }
    if (kinds[index] == KIND_AXIS) {
        record[13] = 2;
        record[21] = 1; /* up to 65 mm */
        record[25] = record[29] = 4; /* 0.26 m/s, 0.26 m/s2 */
    }
}

static void begin_table(void) {
    uint16_t crc = CRC_SEED;
    for (uint8_t index = 0; index < CHANNELS; index++) {
        uint8_t record[WIRE_CONFIGURE_SIZE];
        make_record(index, record);
        crc = crc_over(crc, record, sizeof record);
        send_command(WIRE_CONFIGURE, record);
    }
    const uint8_t commit[] = {CHANNELS, (uint8_t)crc, (uint8_t)(crc >> 8)};
    send_command(WIRE_COMMIT, commit);
    const uint8_t lease[] = {(uint8_t)LEASE_MS, (uint8_t)(LEASE_MS >> 8)};
    send_command(WIRE_TAKE_LEASE, lease);
    if (!table_in_force()) {
        fputs("the board has refused the table of the fuzzer\n", stderr);
        abort();
    }
}

/* Makes a frame of each piece: its type, then its payload, with zeros after the input's end. */
static void send_frames(const uint8_t *bytes, size_t size) {
    while (size > 0 && host_counter < UINT8_MAX) {
        const uint8_t type = bytes[0];
        const uint8_t length = frame_payload_size(type);
        uint8_t payload[WIRE_MAX_PAYLOAD] = {0};
        bytes++;
        size--;
        if (length == WIRE_NONE) {
            hw_pin(type % PINS, type >> 7);
            hw_advance(20u * (type & 7u));
            continue;
        }
        const size_t some = size < length ? size : length;
        memcpy(payload, bytes, some);
        bytes += some;
        size -= some;
        send_command(type, payload);
        fuzzed_frames++;
        hw_advance(40);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) {
        return 0;
    }
    hw_new();
    hw_reset(0, 0);
    identity.provisioned = true; /* with a key of 16 zero bytes */
    hw_advance(1000);            /* the number of the start is stored */
    take_sent();
    begin_session();
    if ((bytes[0] & 2u) == 0) {
        begin_table();
    }
    if (bytes[0] & 1u) {
        hw_rx(bytes + 1, (uint32_t)(size - 1));
    } else {
        send_frames(bytes + 1, size - 1);
    }
    hw_advance(2000);
    take_sent();
    return 0;
}
