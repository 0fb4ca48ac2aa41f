/* Latched faults: their effects and clearing; the check of the light curtain before orders. */
#ifndef WALLWRIGHT_SAFETY_H
#define WALLWRIGHT_SAFETY_H

#include <stdbool.h>
#include <stdint.h>

/* Refuses an order for a guarded part, and latches a fault, while the light curtain is broken. */
bool safety_permits(uint8_t type, const uint8_t *payload);

void safety_stop_if_due(void); /* stops everything if a fault has latched since the last call */
void safety_clear(void);       /* the command Clear */

#endif
