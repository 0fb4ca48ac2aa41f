/* The bytes that are kept without power, in the flash behind the program: a journal of changes.
 *
 * The region has BANKS banks, used one after the other, so all wear alike. A bank contains a header,
 * an image of all bytes, and a log of the changes since: entries of four bytes, each with its own
 * check. RAM keeps the present bytes. When a bank's log is full, the present image is written to the
 * next bank, and its header last: a bank without a valid header does not count, so the supply may
 * fail at any time. The next bank is erased beforehand, one sector at a time, while nothing moves. An
 * erase (45 to 400 ms) is suspended for every change, so no change waits for it. */
#include "chip.h"

#include "../core/crc.h"
#include "../port.h"
#include "flash.h"

#include <string.h>

#define REGION 0x100000u
#define BANKS 8u
#define SECTORS 16u /* of a bank */
#define BANK_SIZE (SECTORS * FLASH_SECTOR)
#define HEADER_SIZE 8u /* magic, sequence number, CRC-16 of these */
#define MAGIC 0x5757u
#define IMAGE_AT FLASH_PAGE
#define LOG_AT (IMAGE_AT + STORAGE_SIZE)
#define ENTRY 4u /* address, byte, check */
#define ENTRIES ((BANK_SIZE - LOG_AT) / ENTRY)
#define ERASE_FROM (ENTRIES / 2u) /* erase the next bank once so many entries are written */
#define ERASE_IN_MOTION (ENTRIES - ENTRIES / 16u) /* from here on also while something moves */
#define QUEUE 64u
#define AT_ONCE 16u /* entries in one command: 18 us */

enum state { IDLE, BUSY, ERASING };

static uint8_t bytes[STORAGE_SIZE];
static uint8_t queue[QUEUE][ENTRY];
static uint32_t put, taken;
static uint32_t bank, sequence, entries; /* of the present bank; entries already written */
static uint32_t erased;                  /* sectors of the next bank */
static uint32_t copied;                  /* pages of the image that the next bank has */
static bool moves_over;
static enum state state;

/* INTACT while the variables above are valid; after a power-up it does not have that value by
 * chance. */
#define INTACT UINT32_C(0x35C9A7E1)
static uint32_t intact;

static uint32_t bank_at(uint32_t number) {
    return REGION + number % BANKS * BANK_SIZE;
}

/* Entries and headers */

static uint8_t check_of(const uint8_t *entry) {
    return (uint8_t)(crc_over(CRC_SEED, entry, ENTRY - 1u) & 0x7Fu); /* never all ones */
}

static void make_header(uint8_t *header, uint32_t number) {
    header[0] = (uint8_t)MAGIC;
    header[1] = (uint8_t)(MAGIC >> 8);
    for (uint32_t at = 0; at < 4; at++) {
        header[2 + at] = (uint8_t)(number >> 8u * at);
    }
    const uint16_t crc = crc_over(CRC_SEED, header, HEADER_SIZE - 2u);
    header[6] = (uint8_t)crc;
    header[7] = (uint8_t)(crc >> 8);
}

/* The sequence number of a bank; 0 if it does not count. */
static uint32_t sequence_of(uint32_t number) {
    uint8_t header[HEADER_SIZE], expected[HEADER_SIZE];
    flash_read(bank_at(number), header, HEADER_SIZE);
    uint32_t found = 0;
    for (uint32_t at = 0; at < 4; at++) {
        found |= (uint32_t)header[2 + at] << 8u * at;
    }
    make_header(expected, found);
    return memcmp(header, expected, HEADER_SIZE) == 0 ? found : 0;
}

/* The start */

static void wait_for_flash(void) {
    while (flash_is_busy()) {
    }
}

static void format(void) {
    memset(bytes, 0xFF, sizeof bytes);
    for (uint32_t sector = 0; sector < SECTORS; sector++) {
        flash_erase(bank_at(0) + sector * FLASH_SECTOR);
        wait_for_flash();
    }
    uint8_t header[HEADER_SIZE];
    make_header(header, 1);
    flash_program(bank_at(0), header, HEADER_SIZE);
    wait_for_flash();
    bank = 0;
    sequence = 1;
}

static bool is_erased(const uint8_t *entry) {
    return (entry[0] & entry[1] & entry[2] & entry[3]) == 0xFF;
}

/* Applies the log. An entry that was not written completely has a wrong check, and is skipped. */
static void replay(void) {
    uint8_t page[FLASH_PAGE];
    entries = 0;
    for (uint32_t at = LOG_AT; at < BANK_SIZE; at += FLASH_PAGE) {
        flash_read(bank_at(bank) + at, page, FLASH_PAGE);
        for (const uint8_t *entry = page; entry < page + FLASH_PAGE; entry += ENTRY) {
            if (is_erased(entry)) {
                return;
            }
            const uint32_t address = (uint32_t)entry[0] | (uint32_t)entry[1] << 8;
            if (entry[3] == check_of(entry) && address < STORAGE_SIZE) {
                bytes[address] = entry[2];
            }
            entries++;
        }
    }
}

void storage_start(void) {
    put = taken = erased = copied = entries = 0;
    moves_over = false;
    state = IDLE;
    intact = INTACT;
    flash_start();
    wait_for_flash();
    sequence = 0;
    for (uint32_t number = 0; number < BANKS; number++) {
        const uint32_t found = sequence_of(number);
        if (found > sequence) {
            sequence = found;
            bank = number;
        }
    }
    if (sequence == 0) {
        format();
        return;
    }
    flash_read(bank_at(bank) + IMAGE_AT, bytes, STORAGE_SIZE);
    replay();
}

/* Background work, one command at a time */

static bool page_is_erased(const uint8_t *page) {
    for (uint32_t at = 0; at < FLASH_PAGE; at++) {
        if (page[at] != 0xFF) {
            return false;
        }
    }
    return true;
}

/* Moves to the next bank: its image page by page, then its header. */
static void move_over(void) {
    const uint32_t next = bank_at(bank + 1u);
    while (copied < STORAGE_SIZE / FLASH_PAGE) {
        const uint8_t *const page = bytes + copied * FLASH_PAGE;
        const uint32_t at = next + IMAGE_AT + copied * FLASH_PAGE;
        copied++;
        if (!page_is_erased(page)) {
            flash_program(at, page, FLASH_PAGE);
            state = BUSY;
            return;
        }
    }
    uint8_t header[HEADER_SIZE];
    make_header(header, sequence + 1u);
    flash_program(next, header, HEADER_SIZE);
    state = BUSY;
    bank = (bank + 1u) % BANKS;
    sequence++;
    entries = erased = copied = 0;
    moves_over = false;
}

static void write_entries(void) {
    uint8_t some[AT_ONCE * ENTRY];
    const uint32_t at = bank_at(bank) + LOG_AT + entries * ENTRY;
    const uint32_t to_page_end = (FLASH_PAGE - at % FLASH_PAGE) / ENTRY;
    uint32_t count = 0;
    while (count < AT_ONCE && count < to_page_end && taken != put) {
        memcpy(some + count * ENTRY, queue[taken % QUEUE], ENTRY);
        taken++;
        count++;
    }
    entries += count;
    moves_over = entries == ENTRIES; /* else the next entry would be in the next bank */
    flash_program(at, some, count * ENTRY);
    state = BUSY;
}

/* Changes that are queued while the image is copied are in the image already, or in the log after
 * it; either way the last value wins. */
static void go_on(void) {
    if (moves_over) {
        if (erased == SECTORS) {
            move_over();
            return;
        }
    } else if (put != taken) {
        write_entries();
        return;
    }
    const bool may_erase = moves_over || entries >= ERASE_IN_MOTION ||
                           (entries >= ERASE_FROM && pins_all_safe());
    if (erased < SECTORS && may_erase) {
        flash_erase(bank_at(bank + 1u) + erased * FLASH_SECTOR);
        state = ERASING;
    }
}

void storage_turn(void) {
    if (state == ERASING && put != taken && !moves_over) {
        flash_suspend_erase();
        wait_for_flash(); /* 20 us */
        write_entries();
        wait_for_flash(); /* 0.4 ms; rare */
        flash_resume_erase();
        state = ERASING;
        return;
    }
    if (state != IDLE) {
        if (flash_is_busy()) {
            return;
        }
        if (state == ERASING) {
            erased++;
        }
        state = IDLE;
    }
    if (put != taken || entries >= ERASE_FROM) {
        go_on();
    }
}

/* After a reset, before the variables are cleared: ends what was under way and writes the queue. */
void storage_flush(void) {
    while (intact == INTACT && (put != taken || state == BUSY)) {
        storage_turn();
    }
}

/* The functions of port.h */

/* The core has the same map as on the Mega; the journal wears all sectors alike by itself. */
const struct port_storage port_storage = {
    .copies = {{112, 176}, {192, 224}, {64, 128}, {STORAGE_NONE, STORAGE_NONE}},
    .old_identity = STORAGE_NONE,
    .log = 256,
    .page = 1920,
    .block = 1,
    .pages = 2,
    .chunk = 1,
};

bool port_storage_ready(void) {
    storage_turn();
    return put - taken < QUEUE;
}

bool port_storage_is_kept(void) {
    storage_turn();
    return put == taken && state != BUSY;
}

uint8_t port_storage_read(uint16_t at) {
    return bytes[at % STORAGE_SIZE];
}

static void change(uint16_t at, uint8_t byte) {
    if (put - taken == QUEUE || bytes[at % STORAGE_SIZE] == byte) {
        return;
    }
    bytes[at % STORAGE_SIZE] = byte;
    uint8_t *const entry = queue[put % QUEUE];
    entry[0] = (uint8_t)at;
    entry[1] = (uint8_t)(at >> 8);
    entry[2] = byte;
    entry[3] = check_of(entry);
    put++;
}

void port_storage_write(uint16_t at, const uint8_t *source, uint8_t size) {
    (void)size; /* 1 */
    change(at, source[0]);
}

void port_storage_erase(uint16_t at) {
    change(at, 0xFF);
}
