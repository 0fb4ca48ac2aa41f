#include "limits.h"

#include "bits.h"
#include "twin.h"
#include "wire.h"

#include <string.h>

struct limits limits;

/* The content of a copy: flags, lease, on-time, then both sets of pins. */
enum { AT_FLAGS = 0, AT_LEASE = 1, AT_ON = 3, AT_GUARDED = 7, AT_UNLIMITED = 16, CONTENT = 25 };

_Static_assert(CONTENT + 1u + TWIN_CRC == TWIN_LIMITS_SIZE, "the layout has this size");
_Static_assert(AT_UNLIMITED - AT_GUARDED == LIMITED_PIN_BYTES && PINS <= 8u * LIMITED_PIN_BYTES,
               "every pin has a bit");

bool limits_begin(void) {
    uint8_t content[CONTENT];
    memset(&limits, 0, sizeof limits);
    const enum twin_state state = twin_read(STORED_LIMITS, content);
    if (state == TWIN_SOUND) {
        limits.flags = (uint8_t)(content[AT_FLAGS] | LIMITS_EXIST);
        limits.lease_ms = wire_get_u16(content + AT_LEASE);
        limits.on_ms = wire_get_u32(content + AT_ON);
        memcpy(limits.guarded, content + AT_GUARDED, LIMITED_PIN_BYTES);
        memcpy(limits.unlimited, content + AT_UNLIMITED, LIMITED_PIN_BYTES);
    }
    return state != TWIN_DAMAGED;
}

void limits_report(uint8_t *payload) {
    wire_limits(payload, limits.flags, limits.lease_ms, limits.on_ms, limits.guarded,
                limits.unlimited);
}

bool limits_permit_lease(uint16_t ms) {
    return !(limits.flags & LIMITS_EXIST) || ms <= limits.lease_ms;
}

static bool has_pin(const uint8_t *pins, uint8_t pin) {
    return pin < PINS && bits_have(pins, pin);
}

static bool is_on_too_long(uint8_t kind, uint32_t ms, int16_t safe) {
    switch (kind) {
    case KIND_MOTOR:
        return ms == 0 || ms > limits.on_ms || safe != 0;
    case KIND_OUTPUT:
        return ms > limits.on_ms || ((limits.flags & LIMITS_OF_PINS) && (ms == 0 || safe != 0));
    case KIND_DICE:
        return ms > limits.on_ms;
    default: /* an axis or a strip has no maximum on-time */
        return (limits.flags & LIMITS_OF_PINS) != 0;
    }
}

/* Any kind of channel could drive a motor that is at its pin, so the limits are those of pins. */
uint8_t limits_refuse(const uint8_t *record) {
    const uint8_t kind = wire_configure_kind(record);
    const bool drives = kind == KIND_MOTOR || kind == KIND_OUTPUT || kind == KIND_STRIP ||
                        kind == KIND_AXIS || kind == KIND_DICE;
    if (!(limits.flags & LIMITS_EXIST) || !drives) {
        return 0;
    }
    const uint8_t pins[2] = {wire_configure_pin(record), kind == KIND_MOTOR || kind == KIND_AXIS
                                                             ? wire_configure_second_pin(record)
                                                             : WIRE_NONE};
    const bool can_be_guarded = kind == KIND_MOTOR || kind == KIND_AXIS || kind == KIND_OUTPUT;
    const bool is_guarded = can_be_guarded && (wire_configure_flags(record) & FLAG_GUARDED);
    for (uint8_t at = 0; at < 2; at++) {
        if (pins[at] == WIRE_NONE) {
            continue;
        }
        if (has_pin(limits.guarded, pins[at]) && !is_guarded) {
            return REFUSAL_NOT_GUARDED;
        }
        if (!has_pin(limits.unlimited, pins[at]) &&
            is_on_too_long(kind, wire_configure_max_on_ms(record), wire_configure_safe(record))) {
            return REFUSAL_ON_TOO_LONG;
        }
    }
    return 0;
}
