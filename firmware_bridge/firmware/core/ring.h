/* A log of records in the storage, written in a ring of pages, so that all its cells wear alike.
 *
 * A page begins with its number, which grows by one from page to page. Records follow, each with its
 * size and a CRC that depends on the page's number; the rest of the page is erased. A page counts as
 * whole once it has a record that completes it: from then on it stands alone, and the page before it
 * is erased. Power that is lost at any byte therefore costs at most the record that was being
 * written. */
#ifndef WALLWRIGHT_RING_H
#define WALLWRIGHT_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_MOST 40u /* bytes of a record's body */

enum ring_content { RING_EMPTY, RING_WHOLE, RING_DAMAGED };

/* Finds the newest whole page and calls `replay` for the body of each record, oldest first; before
 * each page that it tries, it calls `forget`. Only to be called while the storage is ready. */
enum ring_content ring_begin(void (*forget)(void),
                             void (*replay)(const uint8_t *body, uint8_t size));

bool ring_writes(void);            /* a record is being written; no other can be put */
bool ring_fits(uint8_t size);      /* a record with a body of this size fits into the page */
bool ring_next_is_erased(void);    /* a new page can be begun */
void ring_begin_page(void);        /* its records must repeat all that is to be kept */
void ring_put(const uint8_t *body, uint8_t size, bool completes);

/* Begins one write, or one step of erasing the next page; true if there is more to do. */
bool ring_turn(void);

uint16_t ring_used(void); /* permille of the writes that a cell is specified for */

#endif
