#include "starts.h"

#include "../port.h"
#include "identity.h"
#include "twin.h"
#include "wire.h"

/* Firmware that counted 16 bits has used numbers below this one, perhaps each of them. */
#define FIRST_NUMBER UINT32_C(0x10000)

/* Version 0.1 had the number of starts behind its identity. */
#define OLD_BOOTS 48u
#define ERASED_U16 0xFFFFu

static enum twin_state reservation; /* the state of its copies */
static uint32_t reserved;           /* the first number that is not reserved */
static uint32_t last;               /* the highest number that the log has, or 0 */
static bool last_is_old;            /* the newest one was written by firmware that counted 16 bits */

_Static_assert(TWIN_STARTS_SIZE == 1u + sizeof reserved + TWIN_CRC, "the layout has this size");

static void read_old_place(void) {
    const uint16_t from = port_storage.old_identity;
    if (from != STORAGE_NONE) {
        const uint16_t boots =
            (uint16_t)(port_storage_read((uint16_t)(from + OLD_BOOTS)) |
                       (uint16_t)port_storage_read((uint16_t)(from + OLD_BOOTS + 1u)) << 8);
        if (boots != ERASED_U16) {
            starts_replay_old(boots);
        }
    }
}

void starts_begin(void) {
    uint8_t content[sizeof reserved];
    reserved = last = 0;
    last_is_old = false;
    reservation = twin_read(STORED_STARTS, content);
    if (reservation == TWIN_SOUND) {
        reserved = wire_get_u32(content);
    }
    read_old_place();
}

void starts_replay(uint32_t number) {
    last = number > last ? number : last;
    last_is_old = false;
}

void starts_replay_old(uint16_t number) {
    const uint32_t above = FIRST_NUMBER + number;
    last = above > last ? above : last;
    last_is_old = true;
}

/* The log is the newer of both if its number is one of those that were reserved last. */
static bool log_is_current(void) {
    return !last_is_old && last != 0 && last + STARTS_RESERVED >= reserved;
}

void starts_choose(void) {
    identity.boots = (last > FIRST_NUMBER ? last : FIRST_NUMBER) + 1u;
    if (reservation == TWIN_SOUND && !log_is_current() && identity.boots < reserved) {
        identity.boots = reserved;
    }
}

static void reserve(void) {
    uint8_t content[sizeof reserved];
    reserved = identity.boots + STARTS_RESERVED;
    wire_put_u32(content, reserved);
    twin_put_starts(content);
    reservation = TWIN_SOUND;
}

bool starts_are_lost(void) {
    return (reservation == TWIN_DAMAGED && last == 0) ||
           identity.boots > UINT32_MAX - 2u * STARTS_RESERVED;
}

bool starts_are_reserved(void) {
    if (starts_are_lost()) {
        return false;
    }
    if (reservation != TWIN_SOUND || identity.boots >= reserved) {
        reserve();
    }
    return twin_has_put();
}

bool starts_have_first(void) {
    return starts_are_reserved() && identity.boots + STARTS_RESERVED == reserved;
}

void starts_take_first(void) {
    if (!starts_have_first()) {
        identity.boots = reserved;
    }
}
