#include "identity.h"

#include "../port.h"
#include "crc.h"

#include <string.h>

struct identity identity;

static const uint8_t unset_serial[SERIAL_SIZE] PORT_FLASH = {'U', 'N', 'S', 'E', 'T', '0', '0', '0'};
#define UNSET_KEY_SIZE 16u
#define ERASED 0xFFu

/* Places that are compared with the one that was read: the two copies, then the old place. */
enum { FIRST, SECOND, OLD, PLACES };
static uint8_t source; /* or PLACES: no place is sound */
static uint8_t place;  /* the one that is compared or written; PLACES: all are done */
static uint8_t at;     /* the next byte */
static bool writes;    /* the place differs: it is erased, then written */
static bool erased;    /* all of the place, since it differs */

static uint16_t address_of(uint8_t which) {
    return which == OLD ? port_storage.old_identity : port_storage.identity[which];
}

static bool is_sound(uint8_t which) {
    const uint16_t from = address_of(which);
    if (from == STORAGE_NONE) {
        return false;
    }
    uint16_t crc = CRC_SEED;
    for (uint8_t byte = 0; byte < PROVISION_SIZE; byte++) {
        crc = crc_add(crc, port_storage_read((uint16_t)(from + byte)));
    }
    const uint16_t end = (uint16_t)(from + PROVISION_SIZE);
    const uint16_t stored =
        (uint16_t)(port_storage_read(end) | (uint16_t)port_storage_read((uint16_t)(end + 1u)) << 8);
    return crc == stored && port_storage_read(from) == PROVISION_VERSION;
}

static void copy(uint8_t *to, uint16_t from, uint8_t size) {
    for (uint8_t byte = 0; byte < size; byte++) {
        to[byte] = port_storage_read((uint16_t)(from + byte));
    }
}

static void read_provision(uint16_t from) {
    copy(identity.serial, (uint16_t)(from + 1u), SERIAL_SIZE);
    copy(identity.key, (uint16_t)(from + 1u + SERIAL_SIZE), MOST_KEY);
    const uint16_t rest = (uint16_t)(from + 1u + SERIAL_SIZE + MOST_KEY);
    const uint8_t size = port_storage_read(rest);
    identity.key_size = size < MOST_KEY ? size : MOST_KEY;
    identity.address = port_storage_read((uint16_t)(rest + 1u));
}

/* The log continues to count from the old number, which stays where it was. */
static void read_old_boots(void) {
    uint8_t bytes[2];
    copy(bytes, (uint16_t)(port_storage.old_identity + OLD_BOOTS), sizeof bytes);
    const uint16_t boots = (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8);
    identity.boots = boots == UINT16_MAX ? 0 : boots;
}

static void set_unprovisioned(void) {
    memset(&identity, 0, sizeof identity);
    for (uint8_t byte = 0; byte < SERIAL_SIZE; byte++) {
        identity.serial[byte] = port_flash_u8(&unset_serial[byte]);
    }
    identity.key_size = UNSET_KEY_SIZE;
}

static void begin_place(uint8_t which) {
    place = which;
    at = 0;
    writes = erased = false;
}

void identity_begin(void) {
    set_unprovisioned();
    source = FIRST;
    while (source < PLACES && !is_sound(source)) {
        source++;
    }
    begin_place(source < PLACES ? FIRST : PLACES);
    if (source < PLACES) {
        identity.provisioned = true;
        read_provision(address_of(source));
    }
    if (port_storage.old_identity != STORAGE_NONE) {
        read_old_boots();
    }
}

/* Repairing. Until both copies are equal, the one that was read is not touched. */

static bool holds_wanted_byte(void) {
    const uint8_t byte = port_storage_read((uint16_t)(address_of(place) + at));
    return byte == (place == OLD ? ERASED
                                 : port_storage_read((uint16_t)(address_of(source) + at)));
}

static bool erase_byte(void) {
    const uint16_t from = (uint16_t)(address_of(place) + at);
    if (port_storage_read(from) != ERASED) {
        port_storage_erase((uint16_t)(from - from % port_storage.block));
        return true;
    }
    at++;
    return false;
}

static bool write_byte(void) {
    uint8_t bytes[1];
    copy(bytes, (uint16_t)(address_of(source) + at), 1);
    const uint16_t to = (uint16_t)(address_of(place) + at++);
    if (bytes[0] == ERASED) {
        return false;
    }
    port_storage_write(to, bytes, 1);
    return true;
}

static void next_place(void) {
    const bool has_old = port_storage.old_identity != STORAGE_NONE;
    begin_place(place == SECOND && !has_old ? PLACES : (uint8_t)(place + 1u));
}

/* One step; sets `*began` if the storage is busy with it. */
static void step(bool *began) {
    if (!writes) {
        if ((place == source && place != OLD) || at == PROVISION_COPY) {
            next_place();
        } else if (holds_wanted_byte()) {
            at++;
        } else {
            writes = true;
            at = 0;
        }
    } else if (!erased) {
        *began = erase_byte();
        if (at == PROVISION_COPY) {
            erased = true;
            at = 0;
        }
    } else if (place == OLD || at == PROVISION_COPY) {
        begin_place(place); /* compared once more */
    } else {
        *began = write_byte();
    }
}

bool identity_repair(void) {
    bool began = false;
    for (uint8_t steps = 0; place < PLACES && !began && steps < PROVISION_COPY; steps++) {
        step(&began);
    }
    return began;
}
