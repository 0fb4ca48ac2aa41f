/* The virtual processor's storage and supply: an EEPROM, or a flash of any shape, whose power can be
 * cut at any write. A write clears bits only, as in a flash. */
/* The core sees a constant; a test may give the storage another shape before a start. */
#define port_storage constant_port_storage
#include "../port.h"
#undef port_storage

#include "../core/memory.h"
#include "virtual_chip.h"
#include "virtual_pins.h"

#include <string.h>

#define MOST_SIZE 65535u
#define NOMINAL 1000u
#define LOW 880u
#define PATIENCE 100u /* questions without time passing, after which the firmware is waiting */
#define LONGEST_SAVE_MICROS 3000000u

struct constant_port_storage port_storage = {
    .copies = {{112, 176}, {192, 224}, {64, 128}, {120, 184}},
    .old_identity = 0,
    .log = 256,
    .page = 1920,
    .block = 1,
    .pages = 2,
    .chunk = 1,
};

static uint8_t cells[MOST_SIZE];
static uint32_t wear[MOST_SIZE]; /* erasures of each cell, by its block */
static uint32_t write_micros, erase_micros;
static uint64_t busy_until; /* in ticks */
static uint32_t asked;
static uint32_t operations;
static uint32_t cut_after; /* operations; the next one is cut off */
static uint32_t noise;
static bool cut;
static uint32_t worn_out; /* the cell that cannot be erased any more, or MOST_SIZE */
static uint16_t supply = NOMINAL;

bool port_storage_ready(void) {
    if (ticks >= busy_until) {
        asked = 0;
        return true;
    }
    if (++asked > PATIENCE) {
        ticks = busy_until; /* the firmware waits, so time passes */
    }
    return false;
}

bool port_storage_is_kept(void) {
    return port_storage_ready();
}

uint8_t port_storage_read(uint16_t at) {
    return cells[at];
}

static uint8_t random_byte(void) {
    noise = noise * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint8_t)(noise >> 24);
}

/* Whether the power is on for the operation that begins; counts it. */
static bool begins(uint32_t lasts) {
    busy_until = ticks + 2u * (uint64_t)lasts;
    if (cut) {
        return false;
    }
    cut = operations == cut_after;
    operations++;
    return true;
}

void port_storage_write(uint16_t at, const uint8_t *bytes, uint8_t size) {
    if (!begins(write_micros)) {
        return;
    }
    for (uint8_t each = 0; each < size; each++) {
        cells[at + each] &= cut ? (uint8_t)(bytes[each] | random_byte()) : bytes[each];
    }
}

void port_storage_erase(uint16_t at) {
    if (!begins(erase_micros)) {
        return;
    }
    for (uint16_t each = 0; each < port_storage.block; each++) {
        cells[at + each] = cut ? random_byte() : at + each == worn_out ? cells[at + each] : 0xFF;
        wear[at + each]++;
    }
}

void port_supply_start(void) {
}

uint16_t port_supply_permille(void) {
    return supply;
}

bool port_supply_calibrate(uint16_t reference_mv) {
    return reference_mv >= REFERENCE_LEAST_MV && reference_mv <= REFERENCE_MOST_MV;
}

/* For tests */

void storage_new(void) {
    memset(cells, 0xFF, sizeof cells);
    memset(wear, 0, sizeof wear);
    write_micros = erase_micros = 0;
    operations = 0;
    cut_after = UINT32_MAX;
    worn_out = MOST_SIZE;
}

void storage_reset(bool power) {
    if (power) {
        supply = NOMINAL;
    }
    busy_until = 0;
    asked = 0;
    cut = false;
    cut_after = UINT32_MAX;
}

uint8_t *hw_eeprom(void) {
    return cells;
}

void hw_storage_shape(uint16_t block, uint16_t page, uint8_t pages, uint8_t chunk) {
    port_storage.block = block;
    port_storage.page = page;
    port_storage.pages = pages;
    port_storage.chunk = chunk;
    if (block > 1) {
        for (uint16_t copy = 0; copy < 2u * STORED; copy++) {
            port_storage.copies[copy / 2u][copy % 2u] = (uint16_t)(copy * block);
        }
        port_storage.log = (uint16_t)(2u * STORED * block);
        port_storage.old_identity = STORAGE_NONE;
    }
}

void hw_storage_times(uint32_t a_write, uint32_t an_erasure) {
    write_micros = a_write;
    erase_micros = an_erasure;
}

void hw_cut_after(uint32_t more, uint32_t seed) {
    cut_after = operations + more;
    noise = seed;
}

void hw_wear_out(uint16_t at) {
    worn_out = at;
}

uint8_t hw_is_cut(void) {
    return cut;
}

uint32_t hw_storage_operations(void) {
    return operations;
}

uint32_t hw_storage_wear(void) {
    uint32_t most = 0;
    for (uint32_t at = 0; at < MOST_SIZE; at++) {
        most = wear[at] > most ? wear[at] : most;
    }
    return most;
}

void hw_supply(uint16_t permille) {
    supply = permille;
}

uint32_t hw_supply_falls(void) {
    supply = LOW;
    const uint64_t began = ticks;
    do {
        hw_advance(HW_TICK_MICROS);
    } while ((ticks < began + 6000u || memory_saves()) &&
             ticks < began + 2u * (uint64_t)LONGEST_SAVE_MICROS);
    return (uint32_t)((ticks - began) / 2u);
}
