/* libFuzzer: arbitrary bytes on the line of a board with a table and a lease, or with no table yet.
 *
 * The first byte of the input selects whether the rest is sent as it is or as the payloads of sound
 * frames, and whether there is a table. The fuzzer thus reaches the parser with noise, and the
 * commands with noise in their payloads. */
#include "../core/crc.h"
#include "../core/frame.h"
#include "../port.h"
#include "virtual_pins.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Sound frames with arbitrary payloads since the start; printed at the end. */
static unsigned long fuzzed_frames;

__attribute__((destructor)) static void print_count(void) {
    fprintf(stderr, "fuzzed frames: %lu\n", fuzzed_frames);
}

static uint8_t framed[256];
static uint8_t framed_size;

/* `frame_put` writes to the board's own line to the host; takes the frame from there and sends it
 * to the board. */
static void send_frame(uint8_t sequence, uint8_t type, const uint8_t *payload) {
    uint8_t drained[4096];
    while (hw_tx(drained, sizeof drained) > 0) {
    }
    frame_put(0, sequence, type, payload);
    framed_size = (uint8_t)hw_tx(framed, sizeof framed);
    hw_rx(framed, framed_size);
}

/* A table with a channel of each kind, and with every reference that one channel may have to
 * another. */
#define CHANNELS 9u
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
    record[2] = (uint8_t)(30u + 2u * index);                       /* pin */
    record[3] = kinds[index] == KIND_STRIP ? 12u                   /* lamps */
                : kinds[index] >= KIND_DICE ? (uint8_t)(index % 3u + 1u) /* serial port */
                                            : (uint8_t)(31u + 2u * index);
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

static uint8_t begin_table(uint8_t sequence) {
    uint16_t crc = CRC_SEED;
    for (uint8_t index = 0; index < CHANNELS; index++) {
        uint8_t record[WIRE_CONFIGURE_SIZE];
        make_record(index, record);
        crc = crc_over(crc, record, sizeof record);
        send_frame(sequence++, WIRE_CONFIGURE, record);
    }
    const uint8_t commit[] = {CHANNELS, (uint8_t)crc, (uint8_t)(crc >> 8)};
    send_frame(sequence++, WIRE_COMMIT, commit);
    const uint8_t lease[] = {(uint8_t)LEASE_MS, (uint8_t)(LEASE_MS >> 8)};
    send_frame(sequence++, WIRE_TAKE_LEASE, lease);
    return sequence;
}

/* Makes a frame of each piece: its type, then its payload, with zeros after the input's end. */
static void send_frames(uint8_t sequence, const uint8_t *bytes, size_t size) {
    while (size > 0) {
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
        send_frame(sequence++, type, payload);
        fuzzed_frames++;
        hw_advance(40);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const uint8_t identify[WIRE_IDENTIFY_SIZE] = {WIRE_PROTOCOL};
    if (size == 0) {
        return 0;
    }
    hw_new();
    hw_reset(0, 0);
    send_frame(0, WIRE_IDENTIFY, identify);
    hw_advance(100);
    const uint8_t sequence = bytes[0] & 2u ? 1 : begin_table(1);
    if (bytes[0] & 1u) {
        hw_rx(bytes + 1, (uint32_t)(size - 1));
    } else {
        send_frames(sequence, bytes + 1, size - 1);
    }
    hw_advance(2000);
    return 0;
}
