/* Frames: COBS of (address, sequence, type, payload, tag), a check, a zero. See docs/reference/PROTOCOL.md. */
#ifndef WALLWRIGHT_FRAME_H
#define WALLWRIGHT_FRAME_H

#include "wire.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_HEADER 3u /* address, sequence number, type */
#define FRAME_TAG 4u

struct frame {
    uint8_t address;
    uint8_t sequence;
    uint8_t type;
    const uint8_t *payload; /* valid until the next byte is taken */
    const uint8_t *tag;     /* valid as long; null for a frame without one */
};

/* The payload size of a type, in bytes; WIRE_NONE for an unknown type. */
uint8_t frame_payload_size(uint8_t type);

void frame_begin(void);

/* Takes the next byte of the line; returns true if it completes a sound frame of a known type. */
bool frame_take(uint8_t byte, struct frame *frame);

/* The number of received runs that were no frame: damaged, truncated, oversized, unknown type. */
uint32_t frame_dropped(void);

/* Puts a frame on the line, which must have room for WIRE_MAX_FRAME bytes. `tag` may be null. */
void frame_put(const uint8_t header[FRAME_HEADER], const uint8_t *payload, const uint8_t *tag);

#endif
