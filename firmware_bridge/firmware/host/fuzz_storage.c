/* libFuzzer: changes of the Pico's storage, with supplies that fail at any moment.
 *
 * After a start the storage must contain a state that it had: the one after some of the changes, in
 * their order, and at least after those that it had finished writing. A failing supply leaves a
 * program with its first bytes written, and an erase with arbitrary bytes. */
#include "../port.h"
#include "../rp2040/chip.h"
#include "pico/flash.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define MOST_CHANGES 65536u
#define TURNS 3000u
#define FEW 4u

static struct {
    uint16_t at;
    uint8_t byte;
} changes[MOST_CHANGES];
static uint32_t count;    /* changes since the last start */
static uint32_t finished; /* of these, the ones that are in the flash for certain */
static uint8_t base[STORAGE_SIZE];
static bool moves;
static unsigned long starts, all_changes;

__attribute__((destructor)) static void print_counts(void) {
    fprintf(stderr, "storage: %lu changes, %lu failed supplies\n", all_changes, starts);
}

bool pins_all_safe(void) {
    return !moves;
}

static bool holds(const uint8_t *wanted) {
    for (uint16_t at = 0; at < STORAGE_SIZE; at++) {
        if (port_storage_read(at) != wanted[at]) {
            return false;
        }
    }
    return true;
}

/* Compares with each allowed state, which becomes the base of the next changes. */
static void check_after_start(void) {
    for (uint32_t done = 0; done <= count; done++) {
        if (done >= finished && holds(base)) {
            count = finished = 0;
            return;
        }
        if (done < count) {
            base[changes[done].at] = changes[done].byte;
        }
    }
    fprintf(stderr, "after %u changes, %u finished, the storage has a state that it never had\n",
            count, finished);
    abort();
}

static void change(uint16_t at, uint8_t byte) {
    if (!port_storage_ready() || port_storage_read(at) == byte || count == MOST_CHANGES) {
        return;
    }
    port_storage_write(at, &byte, 1);
    changes[count].at = at;
    changes[count++].byte = byte;
    all_changes++;
}

static void turn_storage(uint32_t times) {
    for (uint32_t turns = 0; turns < times; turns++) {
        storage_turn();
    }
}

static void finish(void) {
    storage_flush();
    turn_storage(TURNS);
    finished = count;
}

static void fail_supply(uint32_t written) {
    pico_flash_cut(written, written + 1u);
    storage_start();
    starts++;
    check_after_start();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    pico_flash_new();
    moves = false;
    count = finished = 0;
    storage_start();
    memset(base, 0xFF, sizeof base);
    for (size_t at = 0; at + 3 <= size; at += 3) {
        const uint8_t *const piece = bytes + at;
        switch (piece[0] % 8u) {
        case 0:
            fail_supply(piece[1]);
            break;
        case 1:
            finish();
            break;
        case 2: /* many changes, which fill a bank */
            for (uint32_t each = 0; each < 64u * piece[1]; each++) {
                change((uint16_t)(each * 7u % STORAGE_SIZE), (uint8_t)(each + piece[2]));
                turn_storage(piece[2] % 8u);
            }
            break;
        case 3:
            moves = piece[1] & 1u;
            break;
        case 4:
            turn_storage(piece[1]);
            break;
        default:
            change(piece[1] % FEW, piece[2]); /* few addresses, so most have an older value */
        }
    }
    finish();
    fail_supply(0);
    return 0;
}
