#include "twin.h"

#include "crc.h"

#include <string.h>

#define ERASED 0xFFu

/* The copies, the place of version 0.1, and `image`. NOWHERE: no place is sound.
 * BLANK: version 0.1 has left something else there, which is erased before its identity is. */
enum { FIRST, SECOND, OLD, NOWHERE, IMAGE, BLANK };
#define PLACES 3u

static const uint8_t sizes[STORED] PORT_FLASH = {TWIN_STARTS_SIZE, TWIN_LIMITS_SIZE,
                                                 TWIN_IDENTITY_SIZE, TWIN_REFERENCE_SIZE};

static uint8_t sources[STORED]; /* the place that was read, which the others must equal */
static uint8_t image[TWIN_STARTS_SIZE]; /* what is put as the number of starts */
static uint8_t kept;                    /* its copy that was sound, which is written last */

/* The repair: `place` of `repaired` is compared with its source or written. */
static uint8_t repaired; /* STORED: all are done */
static uint8_t place;
static uint8_t at;   /* the next byte */
static bool writes;  /* the place differs: it is erased, then written */
static bool erased;  /* all of the place, since it differs */

static uint8_t size_of(uint8_t which) {
    return port_flash_u8(&sizes[which]);
}

/* Only the identity has an old place. */
static uint16_t address_of(uint8_t which, uint8_t where) {
    if (where == OLD) {
        return which == STORED_IDENTITY ? port_storage.old_identity : STORAGE_NONE;
    }
    return port_storage.copies[which][where];
}

static bool is_sound(uint8_t which, uint8_t where) {
    const uint16_t from = address_of(which, where);
    if (from == STORAGE_NONE || port_storage_read(from) != TWIN_VERSION) {
        return false;
    }
    const uint8_t size = (uint8_t)(size_of(which) - TWIN_CRC);
    uint16_t crc = CRC_SEED;
    for (uint8_t byte = 0; byte < size; byte++) {
        crc = crc_add(crc, port_storage_read((uint16_t)(from + byte)));
    }
    return port_storage_read((uint16_t)(from + size)) == (uint8_t)crc &&
           port_storage_read((uint16_t)(from + size + 1u)) == (uint8_t)(crc >> 8);
}

/* True too if there is no such place. */
static bool is_erased(uint8_t which, uint8_t where) {
    const uint16_t from = address_of(which, where);
    for (uint8_t byte = 0; from != STORAGE_NONE && byte < size_of(which); byte++) {
        if (port_storage_read((uint16_t)(from + byte)) != ERASED) {
            return false;
        }
    }
    return true;
}

static void begin_place(uint8_t where) {
    place = where;
    at = 0;
    writes = erased = false;
}

static void begin_value(uint8_t which) {
    repaired = which;
    begin_place(which < STORED && sources[which] == IMAGE && kept == FIRST ? SECOND : FIRST);
}

void twin_begin(void) {
    memset(sources, NOWHERE, sizeof sources);
    begin_value(0);
}

enum twin_state twin_read(enum stored value, uint8_t *to) {
    const uint8_t which = (uint8_t)value;
    uint8_t source = FIRST;
    while (source < PLACES && !is_sound(which, source)) {
        source++;
    }
    sources[which] = source == PLACES ? NOWHERE : source;
    if (source == PLACES && which == STORED_LIMITS && sources[STORED_IDENTITY] == OLD) {
        sources[which] = BLANK;
        return TWIN_ERASED;
    }
    if (source == PLACES) {
        return is_erased(which, SECOND) && is_erased(which, OLD) ? TWIN_ERASED : TWIN_DAMAGED;
    }
    const uint16_t from = (uint16_t)(address_of(which, source) + 1u);
    for (uint8_t byte = 0; byte + 1u + TWIN_CRC < size_of(which); byte++) {
        to[byte] = port_storage_read((uint16_t)(from + byte));
    }
    return TWIN_SOUND;
}

void twin_put_starts(const uint8_t *content) {
    const uint8_t size = TWIN_STARTS_SIZE - TWIN_CRC;
    image[0] = TWIN_VERSION;
    memcpy(image + 1, content, size - 1u);
    const uint16_t crc = crc_over(CRC_SEED, image, size);
    image[size] = (uint8_t)crc;
    image[size + 1u] = (uint8_t)(crc >> 8);
    kept = sources[STORED_STARTS] == FIRST ? FIRST : SECOND;
    sources[STORED_STARTS] = IMAGE;
    begin_value(0);
}

/* Repairing. Until both copies are equal, the one that was read is not touched. */

static uint8_t wanted_byte(void) {
    if (place == OLD || sources[repaired] == BLANK) {
        return ERASED;
    }
    const uint8_t source = sources[repaired];
    return source == IMAGE ? image[at]
                           : port_storage_read((uint16_t)(address_of(repaired, source) + at));
}

static bool holds_wanted_byte(void) {
    return port_storage_read((uint16_t)(address_of(repaired, place) + at)) == wanted_byte();
}

static bool erase_byte(void) {
    const uint16_t from = (uint16_t)(address_of(repaired, place) + at);
    if (port_storage_read(from) != ERASED) {
        port_storage_erase((uint16_t)(from - from % port_storage.block));
        return true;
    }
    at++;
    return false;
}

static bool write_byte(void) {
    const uint8_t bytes[1] = {wanted_byte()};
    const uint16_t to = (uint16_t)(address_of(repaired, place) + at++);
    if (bytes[0] == ERASED) {
        return false;
    }
    port_storage_write(to, bytes, 1);
    return true;
}

static void next_place(void) {
    if (sources[repaired] == IMAGE) {
        if (place != kept) {
            begin_place(kept);
            return;
        }
        sources[repaired] = FIRST;
    } else if (place + 1u < PLACES) {
        begin_place((uint8_t)(place + 1u));
        return;
    }
    begin_value((uint8_t)(repaired + 1u));
}

/* Whether there is nothing to do at this place: it is the source, or there is none. */
static bool is_passed_over(void) {
    return sources[repaired] == NOWHERE || address_of(repaired, place) == STORAGE_NONE ||
           (place == sources[repaired] && place != OLD);
}

/* One step; sets `*began` if the storage is busy with it. */
static void step(bool *began) {
    const uint8_t size = size_of(repaired);
    if (!writes) {
        if (is_passed_over() || at == size) {
            next_place();
        } else if (holds_wanted_byte()) {
            at++;
        } else {
            writes = true;
            at = 0;
        }
    } else if (!erased) {
        *began = erase_byte();
        if (at == size) {
            erased = true;
            at = 0;
        }
    } else if (place == OLD || at == size) {
        begin_place(place); /* compared once more */
    } else {
        *began = write_byte();
    }
}

void twin_turn(void) {
    bool began = false;
    for (uint8_t steps = 0; repaired < STORED && !began && steps < TWIN_IDENTITY_SIZE; steps++) {
        step(&began);
    }
}

bool twin_has_put(void) {
    return sources[STORED_STARTS] != IMAGE;
}
