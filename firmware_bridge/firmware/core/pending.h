/* Commands that take several turns: Identify, which computes a proof; Scan, which waits for
 * its reader; Bootloader, whose reply must be sent first. Other commands wait meanwhile. */
#ifndef WALLWRIGHT_PENDING_H
#define WALLWRIGHT_PENDING_H

#include <stdbool.h>
#include <stdint.h>

void pending_begin(void);
void pending_identify(const uint8_t *payload);
void pending_scan(uint8_t port);
void pending_leave(void);
bool pending_turn(void);   /* true while the next turn brings it further */
bool pending_proves(void); /* Identify is not answered yet: no event goes before its reply */

#endif
