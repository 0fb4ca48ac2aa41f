/* A command takes effect while `flash_is_busy` is asked, as on the chip. A command that the real
 * flash would ignore or execute wrongly ends the program. */
#include "flash.h"

#include "../../rp2040/flash.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM_QUESTIONS 3u
#define ERASE_QUESTIONS 20u

static uint8_t cells[FLASH_SIZE];
static uint32_t erases[FLASH_SECTORS];
static struct {
    bool programs, erases, suspended, erases_later;
    uint32_t questions, sector, at, size;
    uint8_t bytes[FLASH_PAGE];
} now;

static uint32_t offset_of(uint32_t at, uint32_t size) {
    assert(at >= FLASH_FROM && at + size <= FLASH_FROM + FLASH_SIZE);
    return at - FLASH_FROM;
}

static void program(uint32_t size) {
    for (uint32_t each = 0; each < size; each++) {
        cells[now.at + each] &= now.bytes[each];
    }
}

void flash_start(void) {
    memset(&now, 0, sizeof now);
}

bool flash_is_busy(void) {
    if (now.questions > 0 && --now.questions == 0) {
        if (now.programs) {
            program(now.size);
            now.programs = false;
        } else if (now.erases && !now.suspended) {
            memset(cells + now.sector * FLASH_SECTOR, 0xFF, FLASH_SECTOR);
            now.erases = false;
        }
    }
    return now.questions > 0;
}

void flash_read(uint32_t at, uint8_t *bytes, uint32_t size) {
    assert(now.questions == 0);
    memcpy(bytes, cells + offset_of(at, size), size);
}

void flash_read_id(uint8_t id[FLASH_ID]) {
    memset(id, 0x5A, FLASH_ID);
}

void flash_program(uint32_t at, const uint8_t *bytes, uint32_t size) {
    assert(now.questions == 0 && size > 0 && size <= FLASH_PAGE);
    assert(at / FLASH_PAGE == (at + size - 1u) / FLASH_PAGE);
    now.programs = true;
    now.questions = PROGRAM_QUESTIONS;
    now.at = offset_of(at, size);
    now.size = size;
    memcpy(now.bytes, bytes, size);
    assert(!now.suspended || now.at / FLASH_SECTOR != now.sector);
    for (uint32_t each = 0; each < size; each++) {
        assert((cells[now.at + each] & bytes[each]) == bytes[each]);
    }
}

void flash_erase(uint32_t at) {
    assert(now.questions == 0 && !now.suspended && at % FLASH_SECTOR == 0);
    now.erases = true;
    now.questions = ERASE_QUESTIONS;
    now.sector = offset_of(at, FLASH_SECTOR) / FLASH_SECTOR;
    erases[now.sector]++;
}

/* An erase that has just ended is not suspended, as on the chip. */
void flash_suspend_erase(void) {
    if (now.erases) {
        now.suspended = true;
        now.questions = 1;
    }
}

void flash_resume_erase(void) {
    assert(now.questions == 0);
    if (now.suspended) {
        now.suspended = false;
        now.questions = ERASE_QUESTIONS;
    }
}

/* For tests */

void pico_flash_new(void) {
    memset(cells, 0xFF, sizeof cells);
    memset(erases, 0, sizeof erases);
    flash_start();
}

void pico_flash_cut(uint32_t written, uint32_t seed) {
    if (now.programs) {
        program(written < now.size ? written : now.size);
    }
    if (now.erases) {
        for (uint32_t each = 0; each < FLASH_SECTOR; each++) {
            seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
            cells[now.sector * FLASH_SECTOR + each] = (uint8_t)(seed >> 24);
        }
    }
    flash_start();
}

uint32_t pico_flash_erases(uint32_t sector) {
    return erases[sector];
}
