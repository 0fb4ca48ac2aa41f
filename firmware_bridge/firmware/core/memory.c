#include "memory.h"

#include "../port.h"
#include "faults.h"
#include "identity.h"
#include "items.h"
#include "kept.h"
#include "ring.h"
#include "supply.h"

#include <string.h>

#define SECOND UINT32_C(1000000)
#define QUIET_MICROS (2u * SECOND)  /* nothing has moved for this time: the board is at rest */
#define EVERY_MICROS (20u * SECOND) /* at rest, saves are at least this far apart */

_Static_assert(ITEM_LONGEST <= RING_MOST, "every item fits into a record");

/* The orders in the log are the last ones; they are not, but the log does not say so yet. */
static bool orders_are_kept, orders_are_over;

/* The save under way. A save of a whole page repeats everything. */
enum task { NOTHING, AT_REST, EVERYTHING, WHOLE_PAGE };
enum stage { AT_START, AT_LEVELS, AT_COUNTS, AT_DOMES, AT_ORDERS, SAVED };
static enum task task;
static bool orders_too; /* it includes the orders, which are the last ones */
static enum stage stage;
static uint8_t index;
static uint8_t item[ITEM_LONGEST];
static uint8_t item_size; /* 0: the next item is still to be found */

static bool wanted; /* a save of everything was asked for */
static bool start_is_unsaved;
static bool was_low;
static uint32_t moved_at, next_rest;

/* `intact` is INTACT while the RAM holds valid state of this build; after a power-up or with another
 * program it does not have that value by chance. */
#define INTACT UINT32_C(0x6B1D94C2)
static uint32_t intact;

static bool drives_safe_levels; /* the stored ones, while no table is in force */

/* A save */

static void begin_task(enum task next) {
    task = next;
    orders_too = next == EVERYTHING && !orders_are_kept;
    stage = AT_START;
    index = 0;
    item_size = 0;
}

static void begin_page(void) {
    const bool all_orders = orders_are_kept || orders_too;
    ring_begin_page();
    begin_task(WHOLE_PAGE);
    orders_too = all_orders;
}

static void next_stage(void) {
    stage++;
    index = 0;
}

/* Looks at one thing that may have to be saved. */
static void look_further(void) {
    const bool all = task == WHOLE_PAGE;
    switch (stage) {
    case AT_START:
        item_size = all || start_is_unsaved ? item_of_starts(item) : 0;
        start_is_unsaved = false;
        next_stage();
        break;
    case AT_LEVELS:
        item_size = item_of_safe_levels(item, all);
        next_stage();
        break;
    case AT_COUNTS:
        if (index < PINS) {
            item_size = item_of_sensor(item, index++, all);
        } else {
            next_stage();
        }
        break;
    case AT_DOMES:
        if (index < KEPT_DOMES) {
            item_size = item_of_dome(item, index++, all);
        } else {
            next_stage();
        }
        break;
    case AT_ORDERS:
        if (index < MOST_OUTPUTS && orders_too) {
            item_size = item_of_order(item, index++);
        } else {
            next_stage();
        }
        break;
    case SAVED:
    default:
        break;
    }
}

/* Collects items for the next record and puts it; a page is begun if the record does not fit. */
static void put_record(void) {
    uint8_t body[RING_MOST];
    uint8_t size = 0;
    while (stage != SAVED || item_size != 0) {
        if (item_size == 0) {
            look_further();
            continue;
        }
        if (size + item_size > RING_MOST) {
            break;
        }
        memcpy(body + size, item, item_size);
        size = (uint8_t)(size + item_size);
        item_size = 0;
    }
    if (size != 0) {
        ring_put(body, size, task == WHOLE_PAGE && stage == SAVED && item_size == 0);
    }
    if (stage == SAVED && item_size == 0) {
        orders_are_kept = orders_are_kept || orders_too;
        task = NOTHING;
    }
}

static void go_on(void) {
    if (ring_writes() || ring_fits(RING_MOST)) {
        if (!ring_writes()) {
            put_record();
        }
    } else if (ring_next_is_erased()) {
        begin_page();
    }
}

/* With a lease, orders can begin: those in the log will not be the last ones any more. */
static void end_orders(void) {
    const uint8_t size = item_of_orders_over(item);
    if (ring_fits(size)) {
        ring_put(item, size, false);
    } else {
        begin_task(AT_REST); /* begins the next page, which does not contain them */
    }
    orders_are_over = false;
}

static void choose_task(uint32_t now, bool still) {
    if (wanted) {
        wanted = orders_are_over = false;
        kept_take_counts();
        begin_task(EVERYTHING);
    } else if (orders_are_over) {
        end_orders();
    } else if (!still) {
        moved_at = now;
    } else if (time_reached(now, moved_at + QUIET_MICROS) &&
               (time_reached(now, next_rest) || kept_has_new_safe_levels())) {
        next_rest = now + EVERY_MICROS;
        kept_take_counts();
        if (kept_is_unsaved()) {
            begin_task(AT_REST);
        }
    }
}

void memory_save(void) {
    wanted = true;
}

bool memory_saves(void) {
    return wanted || task != NOTHING || ring_writes();
}

void memory_turn(uint32_t now, bool still) {
    const bool low = supply_is_low();
    intact = low ? 0 : INTACT;
    if (low && !was_low) {
        memory_save();
    }
    was_low = low;
    if (orders_are_kept && lease.holds && !faults_any()) {
        orders_are_kept = false; /* the next command can be an order */
        orders_are_over = true;
    }
    if (!supply_permits_writing() || !port_storage_ready()) {
        return;
    }
    if (task == NOTHING && !ring_writes()) {
        choose_task(now, still);
    }
    if (task != NOTHING) {
        go_on();
    }
    (void)ring_turn();
}

void memory_save_after_reset(void) {
    if (intact != INTACT) {
        return;
    }
    intact = 0;
    memory_save();
    while (memory_saves()) {
        if (!port_storage_ready()) {
            continue;
        }
        if (task == NOTHING && wanted) {
            wanted = false;
            kept_take_counts();
            begin_task(EVERYTHING);
        }
        if (task != NOTHING) {
            go_on();
        }
        (void)ring_turn();
    }
    while (!port_storage_ready()) {
    }
}

/* The start */

/* Waits until the start is in the log: a host that has seen its number must not see it again. With
 * a full page, the number is in the next page, which the following turns write. */
static void count_start(void) {
    identity.boots++;
    const uint8_t size = item_of_starts(item);
    if (!supply_permits_writing() || !ring_fits(size)) {
        start_is_unsaved = wanted = true;
        return;
    }
    ring_put(item, size, false);
    while (ring_writes()) {
        (void)ring_turn();
    }
    while (!port_storage_ready()) {
    }
}

static void drive_safe_levels(void) {
    drives_safe_levels = true;
    for (uint8_t pin = 0; pin < PINS; pin++) {
        if (kept_drives(pin)) {
            port_pin_drive(pin, kept_is_high(pin));
        }
    }
}

bool memory_begin(void) {
    task = NOTHING;
    item_size = 0;
    wanted = was_low = start_is_unsaved = false;
    while (!port_storage_ready()) {
    }
    const enum ring_content content = ring_begin(kept_forget, items_replay);
    orders_are_kept = kept_has_orders();
    orders_are_over = false;
    drive_safe_levels();
    count_start();
    moved_at = next_rest = port_micros();
    return content != RING_DAMAGED;
}

void memory_release_outputs(void) {
    for (uint8_t pin = 0; drives_safe_levels && pin < PINS; pin++) {
        if (kept_drives(pin)) {
            port_pin_release(pin);
        }
    }
    drives_safe_levels = false;
}
