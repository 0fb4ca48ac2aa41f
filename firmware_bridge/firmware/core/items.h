/* The items of the log: each contains one part of what is kept without power. */
#ifndef WALLWRIGHT_ITEMS_H
#define WALLWRIGHT_ITEMS_H

#include "kept.h"

#include <stdbool.h>
#include <stdint.h>

#define ITEM_LONGEST (PIN_BYTES > 6u ? 1u + 2u * PIN_BYTES : 14u) /* bytes */

/* Each writes an item to `item` and returns its size, or 0 if there is nothing to be saved: what has
 * not changed is left out unless `all` is true. */
uint8_t item_of_starts(uint8_t *item);
uint8_t item_of_safe_levels(uint8_t *item, bool all);
uint8_t item_of_sensor(uint8_t *item, uint8_t pin, bool all);
uint8_t item_of_dome(uint8_t *item, uint8_t at, bool all);
uint8_t item_of_order(uint8_t *item, uint8_t at); /* always, if there is one */
uint8_t item_of_orders_over(uint8_t *item);

void items_replay(const uint8_t *body, uint8_t size); /* takes over the items of a record */

#endif
