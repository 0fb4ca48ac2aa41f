#include "memory.h"

#include "../port.h"
#include "challenge.h"
#include "clock.h"
#include "faults.h"
#include "identity.h"
#include "items.h"
#include "kept.h"
#include "ring.h"
#include "starts.h"
#include "supply.h"

#include <string.h>

#define SECOND UINT32_C(1000000)
#define QUIET_MICROS (2u * SECOND)
#define EVERY_MICROS (20u * SECOND) /* at rest, saves are at least this far apart */
#define LATE_MICROS (5u * SECOND)   /* a start is stored by then: a page takes up to 3.5 s to erase */

/* Steps of a save after a reset: twice as many as to erase a page and to write one; and how often a step
 * asks whether the storage is ready, 0.1 s and more on each chip. */
#define MOST_STEPS 8000u
#define MOST_POLLS UINT32_C(100000)

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
static bool start_is_unsaved; /* its number is not in the log */
static struct timeout late;   /* it should be there by now */
static bool start_is_kept;    /* whatever happens, no later start has its number */
static bool was_low;
static struct timeout quiet;     /* nothing has moved for QUIET_MICROS: the board is at rest */
static struct timeout next_rest; /* the next save at rest is due */

/* `intact` is the mark while the RAM holds valid state of this build; after a power-up or with another
 * program it does not have that value by chance. */
#define INTACT UINT32_C(0x6B1D94C2)
static uint32_t intact;

static uint32_t intact_mark(void) {
    return INTACT ^ challenge_build();
}

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
        /* A number that is not reserved may have been used before. */
        item_size = (all || start_is_unsaved) && starts_are_reserved() ? item_of_starts(item) : 0;
        start_is_unsaved = start_is_unsaved && item_size == 0;
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

/* A host that has seen the number of a start must never see it again: until it is stored, no session
 * begins. It is put into the log. If the page has no room, numbers are reserved instead, which is
 * faster than to begin a page. */
static void keep_start(void) {
    const bool busy = task != NOTHING || ring_writes();
    if (!starts_are_reserved() || !port_storage_is_kept()) {
        return;
    }
    if (starts_have_first() || (!start_is_unsaved && !busy)) {
        start_is_kept = true;
    } else if (start_is_unsaved && !busy) {
        const uint8_t size = item_of_starts(item);
        if (ring_fits(size)) {
            ring_put(item, size, false);
            start_is_unsaved = false;
        } else {
            starts_take_first();
        }
    }
}

bool memory_start_goes_on(void) {
    return !start_is_kept && !starts_are_lost();
}

bool memory_start_is_late(void) {
    return late.passed && !start_is_kept;
}

bool memory_start_is_kept(void) {
    return start_is_kept;
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

static void choose_task(uint32_t now) {
    if (wanted) {
        wanted = orders_are_over = false;
        kept_take_counts();
        begin_task(EVERYTHING);
    } else if (orders_are_over) {
        end_orders();
    } else if (start_is_unsaved) {
        begin_task(AT_REST);
    } else if (quiet.passed && (next_rest.passed || kept_has_new_safe_levels())) {
        next_rest = timeout_after(now, EVERY_MICROS);
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

/* In every turn, whatever else it does: a time that nobody looks at for 35 minutes would be taken for
 * one that is still to come. */
static void look_at_time(uint32_t now, bool still) {
    if (!still) {
        quiet = timeout_after(now, QUIET_MICROS);
    }
    (void)timeout_passed(&quiet, now);
    (void)timeout_passed(&next_rest, now);
    (void)timeout_passed(&late, now);
}

void memory_turn(uint32_t now, bool still) {
    const bool low = supply_is_low();
    intact = low ? 0 : intact_mark();
    if (low && !was_low) {
        memory_save();
    }
    was_low = low;
    look_at_time(now, still);
    if (orders_are_kept && lease.holds && !faults_any()) {
        orders_are_kept = false; /* the next command can be an order */
        orders_are_over = true;
    }
    if (!supply_permits_writing() || !port_storage_ready()) {
        return;
    }
    if (!start_is_kept) {
        keep_start();
    }
    if (start_is_kept && task == NOTHING && !ring_writes()) {
        choose_task(now);
    }
    if (task != NOTHING) {
        go_on();
    }
    (void)ring_turn();
}

/* One step of the save after a reset; false while the storage is busy. */
static bool go_on_after_reset(void) {
    if (!port_storage_ready()) {
        return false;
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
    return true;
}

/* No clock runs and no watchdog, and the state may be damaged or a cell worn out, so the steps are
 * counted. Before each one the supply is measured. What is not complete counts as not written. */
void memory_save_after_reset(void) {
    if (intact != intact_mark()) {
        return;
    }
    intact = 0;
    port_supply_start();
    if (!start_is_kept) {
        return; /* its number is not stored, so nothing has happened since the last save */
    }
    memory_save();
    uint32_t waited = 0;
    for (uint16_t steps = 0; steps < MOST_STEPS && memory_saves();) {
        if (!supply_permits_writing() || waited > MOST_POLLS) {
            return;
        }
        if (go_on_after_reset()) {
            steps++;
            waited = 0;
        } else {
            waited++;
        }
    }
    for (waited = 0; !port_storage_ready() && waited < MOST_POLLS; waited++) {
    }
}

/* The start */


/* Usually the number of the start has room and is reserved: then the start waits for it. */
static void save_start(void) {
    if (!supply_permits_writing()) {
        return;
    }
    keep_start();
    while (ring_writes()) {
        (void)ring_turn();
    }
    while (!port_storage_ready()) {
    }
    keep_start();
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
    wanted = was_low = start_is_kept = false;
    start_is_unsaved = true;
    while (!port_storage_ready()) {
    }
    starts_begin();
    const enum ring_content content = ring_begin(kept_forget, items_replay);
    starts_choose();
    orders_are_kept = kept_has_orders();
    orders_are_over = false;
    drive_safe_levels();
    save_start();
    const uint32_t now = port_micros();
    quiet = timeout_after(now, QUIET_MICROS);
    next_rest = timeout_after(now, 0);
    late = timeout_after(now, LATE_MICROS);
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
