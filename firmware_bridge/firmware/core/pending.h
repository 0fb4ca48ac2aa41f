/* Commands that take several turns: Scan waits for its reader, and Bootloader sends its reply before it leaves. The other commands wait meanwhile. */
#ifndef WALLWRIGHT_PENDING_H
#define WALLWRIGHT_PENDING_H

#include <stdbool.h>
#include <stdint.h>

void pending_begin(void);
void pending_scan(uint8_t port);
void pending_leave(uint32_t confirmation);
bool pending_turn(void); /* true if the next turn can continue without time passing */

#endif
