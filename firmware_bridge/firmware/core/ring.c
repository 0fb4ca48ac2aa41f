#include "ring.h"

#include "../port.h"
#include "crc.h"
#include "wire.h"

#include <string.h>

#define NUMBER_SIZE 4u
#define CRC_SIZE 2u
#define HEADER_SIZE (NUMBER_SIZE + CRC_SIZE)
#define HEADER_SEED 0x5741u
#define COMPLETES 0x80u /* in the size of a record that completes its page */
#define ERASED 0xFFu
#define LOOKED_AT 16u /* bytes of the next page that one turn checks */

static uint8_t page;     /* the one that is written */
static uint32_t number;  /* its number */
static uint16_t seed;    /* of the CRCs of its records */
static uint16_t end;     /* where its next record begins; the page's size: there is no room */
static bool whole;
static uint16_t erased; /* bytes of the next page that are known to be erased */

/* The header or record that is being written. */
static uint8_t buffer[1u + RING_MOST + CRC_SIZE];
static uint8_t buffer_size;
static uint8_t buffer_done;
static uint16_t buffer_at;

/* Addresses */

static uint16_t start_of(uint8_t which) {
    return (uint16_t)(port_storage.log + which * port_storage.page);
}

static uint8_t after(uint8_t which) {
    return which + 1u < port_storage.pages ? (uint8_t)(which + 1u) : 0;
}

static uint16_t seed_of(uint32_t of_page) {
    uint8_t bytes[NUMBER_SIZE];
    wire_put_u32(bytes, of_page);
    return crc_over(CRC_SEED, bytes, NUMBER_SIZE);
}

/* Reading */

static void load(uint16_t at, uint8_t *bytes, uint8_t size) {
    while (size-- > 0) {
        *bytes++ = port_storage_read(at++);
    }
}

static bool read_header(uint8_t which, uint32_t *found) {
    uint8_t header[HEADER_SIZE];
    load(start_of(which), header, HEADER_SIZE);
    *found = wire_get_u32(header);
    return wire_get_u16(header + NUMBER_SIZE) == crc_over(HEADER_SEED, header, NUMBER_SIZE);
}

/* Reads the record at `end` into `buffer`; returns the size of its body, or 0 if there is none. */
static uint8_t read_record(uint16_t from) {
    const uint8_t first = port_storage_read((uint16_t)(from + end));
    const uint8_t size = (uint8_t)(first & ~COMPLETES);
    if (size == 0 || size > RING_MOST || end + 1u + size + CRC_SIZE > port_storage.page) {
        return 0;
    }
    load((uint16_t)(from + end), buffer, (uint8_t)(1u + size + CRC_SIZE));
    return wire_get_u16(buffer + 1u + size) == crc_over(seed, buffer, (uint8_t)(1u + size)) ? size
                                                                                           : 0;
}

static bool rest_is_erased(uint16_t from) {
    for (uint16_t at = end; at < port_storage.page; at++) {
        if (port_storage_read((uint16_t)(from + at)) != ERASED) {
            return false;
        }
    }
    return true;
}

static void replay_page(void (*replay)(const uint8_t *body, uint8_t size)) {
    const uint16_t from = start_of(page);
    seed = seed_of(number);
    whole = false;
    end = HEADER_SIZE;
    uint8_t size;
    while (end + 1u < port_storage.page && (size = read_record(from)) != 0) {
        replay(buffer + 1, size);
        whole = whole || (buffer[0] & COMPLETES);
        end = (uint16_t)(end + 1u + size + CRC_SIZE);
    }
    /* A record that was cut off is in the way of further ones: flash cannot be written twice. */
    if (!rest_is_erased(from)) {
        end = port_storage.page;
    }
}

enum ring_content ring_begin(void (*forget)(void),
                             void (*replay)(const uint8_t *body, uint8_t size)) {
    buffer_size = buffer_done = 0;
    erased = 0;
    uint32_t newest = 0;
    uint32_t below = UINT32_MAX; /* only pages with lower numbers are left to be tried */
    for (;;) {
        bool found = false;
        for (uint8_t which = 0; which < port_storage.pages; which++) {
            uint32_t its_number;
            if (read_header(which, &its_number) && its_number < below &&
                (!found || its_number > number)) {
                found = true;
                number = its_number;
                page = which;
            }
        }
        if (!found) {
            break;
        }
        newest = newest > number ? newest : number;
        below = number;
        forget();
        replay_page(replay);
        if (whole) {
            number = newest; /* the next page's number must be higher than all before it */
            return RING_WHOLE;
        }
    }
    forget();
    number = newest;
    page = (uint8_t)(port_storage.pages - 1u);
    end = port_storage.page;
    whole = true; /* nothing is lost if the next page is erased */
    return newest != 0 ? RING_DAMAGED : RING_EMPTY;
}

/* Writing */

static void begin_buffer(uint16_t at, uint8_t size) {
    buffer_at = (uint16_t)(start_of(page) + at);
    buffer_size = size;
    buffer_done = 0;
}

bool ring_writes(void) {
    return buffer_size != 0;
}

bool ring_fits(uint8_t size) {
    return end + 1u + size + CRC_SIZE <= port_storage.page;
}

bool ring_next_is_erased(void) {
    return erased == port_storage.page;
}

void ring_begin_page(void) {
    page = after(page);
    number++;
    seed = seed_of(number);
    whole = false;
    erased = 0;
    end = HEADER_SIZE;
    wire_put_u32(buffer, number);
    wire_put_u16(buffer + NUMBER_SIZE, crc_over(HEADER_SEED, buffer, NUMBER_SIZE));
    begin_buffer(0, HEADER_SIZE);
}

void ring_put(const uint8_t *body, uint8_t size, bool completes) {
    buffer[0] = completes ? (uint8_t)(size | COMPLETES) : size;
    memcpy(buffer + 1, body, size);
    wire_put_u16(buffer + 1u + size, crc_over(seed, buffer, (uint8_t)(1u + size)));
    begin_buffer(end, (uint8_t)(1u + size + CRC_SIZE));
    end = (uint16_t)(end + buffer_size);
}

static void write_some(void) {
    const uint8_t left = (uint8_t)(buffer_size - buffer_done);
    const uint8_t size = left < port_storage.chunk ? left : port_storage.chunk;
    port_storage_write((uint16_t)(buffer_at + buffer_done), buffer + buffer_done, size);
    buffer_done = (uint8_t)(buffer_done + size);
    if (buffer_done == buffer_size) {
        whole = whole || (buffer_at != start_of(page) && (buffer[0] & COMPLETES));
        buffer_size = 0;
    }
}

static void erase_some(void) {
    const uint16_t from = start_of(after(page));
    for (uint8_t looked = 0; looked < LOOKED_AT && erased < port_storage.page; looked++) {
        if (port_storage_read((uint16_t)(from + erased)) != ERASED) {
            erased = (uint16_t)(erased - erased % port_storage.block);
            port_storage_erase((uint16_t)(from + erased));
            return; /* the block is read again, to check the erasure */
        }
        erased++;
    }
}

bool ring_turn(void) {
    if (!port_storage_ready()) {
        return true;
    }
    if (buffer_size != 0) {
        write_some();
        return true;
    }
    if (whole && erased < port_storage.page) {
        erase_some();
        return true;
    }
    return false;
}

uint16_t ring_used(void) {
    const uint32_t used = number / port_storage.pages / (STORAGE_CYCLES / 1000u);
    return used < UINT16_MAX ? (uint16_t)used : UINT16_MAX;
}
