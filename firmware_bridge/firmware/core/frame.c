/* The check follows the bytes that it covers, so the CRC lags three bytes behind the line. */
#include "frame.h"

#include "../port.h"
#include "crc.h"

#include <string.h>

#define CHECK 3u
#define SHORTEST (1u + FRAME_HEADER + CHECK)

static uint8_t run[WIRE_MAX_FRAME - 1]; /* bytes received since the last zero */
static uint8_t length;                  /* of `run`; WIRE_MAX_FRAME if it is too long for a frame */
static uint16_t crc;                    /* of all received bytes but the last three */
static uint32_t dropped;

static const uint8_t types_and_sizes[][2] PORT_FLASH = {WIRE_TYPES_AND_SIZES};
#define TYPES (sizeof types_and_sizes / sizeof types_and_sizes[0])

uint8_t frame_payload_size(uint8_t type) {
    for (uint8_t at = 0; at < TYPES; at++) {
        if (port_flash_u8(&types_and_sizes[at][0]) == type) {
            return port_flash_u8(&types_and_sizes[at][1]);
        }
    }
    return WIRE_NONE;
}

void frame_begin(void) {
    length = 0;
    crc = CRC_SEED;
    dropped = 0;
}

uint32_t frame_dropped(void) {
    return dropped;
}

static void collect(uint8_t byte) {
    if (length >= sizeof run) {
        length = WIRE_MAX_FRAME;
        return;
    }
    if (length >= CHECK) {
        crc = crc_add(crc, run[length - CHECK]);
    }
    run[length++] = byte;
}

static bool check_matches(const uint8_t *check) {
    return check[0] == (0x80u | (crc & 0x7Fu)) && check[1] == (0x80u | (crc >> 7 & 0x7Fu)) &&
           check[2] == (0x80u | crc >> 14);
}

/* Decodes COBS in place; returns the decoded size, or 0 for a code that points past the end. */
static uint8_t decode(uint8_t size) {
    uint8_t from = 0;
    uint8_t to = 0;
    while (from < size) {
        const uint8_t code = run[from++];
        if (code > size - from + 1) {
            return 0;
        }
        for (uint8_t left = code; left > 1; left--) {
            run[to++] = run[from++];
        }
        if (from < size) {
            run[to++] = 0;
        }
    }
    return to;
}

static bool is_frame(struct frame *frame) {
    if (length < SHORTEST || length == WIRE_MAX_FRAME) {
        return false;
    }
    const uint8_t body = (uint8_t)(length - CHECK);
    if (!check_matches(run + body)) {
        return false;
    }
    const uint8_t size = decode(body);
    if (size < FRAME_HEADER) {
        return false;
    }
    const uint8_t payload = frame_payload_size(run[2]);
    const uint8_t untagged = (uint8_t)(FRAME_HEADER + payload);
    if (payload == WIRE_NONE || (size != untagged && size != untagged + FRAME_TAG)) {
        return false;
    }
    *frame = (struct frame){run[0], run[1], run[2], run + FRAME_HEADER,
                            size == untagged ? 0 : run + untagged};
    return true;
}

bool frame_take(uint8_t byte, struct frame *frame) {
    if (byte != 0) {
        collect(byte);
        return false;
    }
    const bool sound = is_frame(frame);
    if (!sound && length > 0) { /* an empty run is no damage: a sender may begin with a zero */
        dropped++;
    }
    length = 0;
    crc = CRC_SEED;
    return sound;
}

static void put_checked(uint8_t byte, uint16_t *check) {
    *check = crc_add(*check, byte);
    port_link_put(byte);
}

void frame_put(const uint8_t header[FRAME_HEADER], const uint8_t *payload, const uint8_t *tag) {
    const uint8_t payload_size = frame_payload_size(header[2]);
    uint8_t bytes[FRAME_HEADER + WIRE_MAX_PAYLOAD + FRAME_TAG];
    uint8_t size = FRAME_HEADER;
    memcpy(bytes, header, FRAME_HEADER);
    if (payload_size != 0) {
        memcpy(bytes + size, payload, payload_size);
        size = (uint8_t)(size + payload_size);
    }
    if (tag != 0) {
        memcpy(bytes + size, tag, FRAME_TAG);
        size = (uint8_t)(size + FRAME_TAG);
    }
    uint16_t check = CRC_SEED;
    uint8_t from = 0;
    do {
        uint8_t until = from;
        while (until < size && bytes[until] != 0) {
            until++;
        }
        put_checked((uint8_t)(until - from + 1), &check);
        for (; from < until; from++) {
            put_checked(bytes[from], &check);
        }
        from++; /* the zero, or one past the end */
    } while (from <= size);
    port_link_put((uint8_t)(0x80u | (check & 0x7Fu)));
    port_link_put((uint8_t)(0x80u | (check >> 7 & 0x7Fu)));
    port_link_put((uint8_t)(0x80u | check >> 14));
    port_link_put(0);
}
