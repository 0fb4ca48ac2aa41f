/* The lease: outputs may be active only while it lasts. */
#ifndef WALLWRIGHT_LEASE_H
#define WALLWRIGHT_LEASE_H

#include <stdbool.h>
#include <stdint.h>

void lease_begin(void);
bool lease_holds(void);
void lease_take(const uint8_t *payload); /* the command; 0 ms gives it back */
void lease_end(void);                    /* without a word */
void lease_heed(uint32_t now);           /* lets everything go when it expires */
void lease_say_held(void);

#endif
