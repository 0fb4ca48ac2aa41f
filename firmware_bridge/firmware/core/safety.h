/* Latched faults: their effects and clearing; the check of the light curtain before orders. */
#ifndef WALLWRIGHT_SAFETY_H
#define WALLWRIGHT_SAFETY_H

#include <stdbool.h>
#include <stdint.h>

void safety_begin(void);

/* Refuses an order for a guarded part, and latches a fault, while the light curtain is broken.
 * Otherwise the part counts as moving until `safety_end_order`, which the caller calls when the
 * outputs or axes show that it moves. */
bool safety_begin_order(uint8_t type, const uint8_t *payload);
void safety_end_order(void);

void safety_compare_levels(void); /* every millisecond: finds an edge that the port has lost */
void safety_stop_if_due(void); /* stops everything if a fault has latched since the last call */
void safety_clear(void);       /* the command Clear */

#endif
