/* What is kept without power, as last known, and the items of the log that contain it. */
#ifndef WALLWRIGHT_KEPT_H
#define WALLWRIGHT_KEPT_H

#include "../port.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

#define PIN_BYTES ((PINS + 7u) / 8u)
#define KEPT_DOMES 3u /* as many as there are serial ports for their readers */
#define KEPT_LONGEST (PIN_BYTES > 6u ? 1u + 2u * PIN_BYTES : 14u) /* bytes of an item */

/* Takes over the state of the table in force: all counts before it goes, its safe levels when it has
 * come. */
void kept_take_counts(void);
void kept_take_safe_levels(void);

bool kept_has_new_safe_levels(void);
bool kept_is_unsaved(void); /* anything but orders has changed since it was saved */

/* Each writes an item to `item` and returns its size, or 0 if there is nothing to be saved: what has
 * not changed is left out unless `all` is true. */
uint8_t kept_starts(uint8_t *item);
uint8_t kept_safe_levels(uint8_t *item, bool all);
uint8_t kept_sensor(uint8_t *item, uint8_t pin, bool all);
uint8_t kept_dome(uint8_t *item, uint8_t at, bool all);
uint8_t kept_order(uint8_t *item, uint8_t at); /* always, if there is one */
uint8_t kept_orders_are_over(uint8_t *item);

/* Reading the log: forgets everything; takes over the items of a record. */
void kept_forget(void);
void kept_replay(const uint8_t *body, uint8_t size);
bool kept_has_orders(void);

/* The stored state, where the channel has none yet. */
void kept_restore_sensor(struct sensor *sensor);
void kept_restore_dome(uint8_t channel, struct unit *dome);
bool kept_drives(uint8_t pin);  /* the last table drove this pin */
bool kept_is_high(uint8_t pin); /* its safe level */

#endif
