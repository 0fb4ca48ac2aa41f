/* The lease: outputs may be active only while it lasts. Its state is in state.h. */
#ifndef WALLWRIGHT_LEASE_H
#define WALLWRIGHT_LEASE_H

#include <stdbool.h>
#include <stdint.h>

void lease_begin(void);
void lease_take(const uint8_t *payload); /* the command TakeLease; 0 ms gives the lease back */
void lease_check(uint32_t now);          /* stops everything when the lease expires */
void lease_report_held(void);

#endif
