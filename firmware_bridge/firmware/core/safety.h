/* Latched faults: their effects and their clearing; the light curtain's check before orders. */
#ifndef WALLWRIGHT_SAFETY_H
#define WALLWRIGHT_SAFETY_H

#include <stdbool.h>
#include <stdint.h>

/* Nothing guarded sets off while somebody reaches through the curtain: that order is refused. */
bool safety_lets(uint8_t type, const uint8_t *payload);

void safety_let_go(void); /* stops what a fault that has latched meanwhile has to stop */
void safety_clear(void);  /* the command */

#endif
