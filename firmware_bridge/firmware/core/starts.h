/* The number of each start, of 32 bits. No two starts of a board with the same key have the same
 * number: the board's nonces, and with them the keys of its sessions, depend on it. The log (items.h)
 * has the number of the last start. Apart from the log the storage has a reservation, in two copies:
 * every number below it may have been used. If the log is lost, the next start has that number. */
#ifndef WALLWRIGHT_STARTS_H
#define WALLWRIGHT_STARTS_H

#include <stdbool.h>
#include <stdint.h>

void starts_begin(void); /* before the log is read: reads the reservation */

/* The log has this number: of a start of this version, or of one that counted 16 bits. */
void starts_replay(uint32_t number);
void starts_replay_old(uint16_t number);

/* After the log was read: sets `identity.boots`. */
void starts_choose(void);

/* Whether the number of this start is reserved. If it is not, once in STARTS_RESERVED starts, the next
 * ones are reserved by the following calls of `twin_turn`. It stays false if no number is known to
 * be new, because the log and both copies of the reservation are damaged. */
bool starts_are_reserved(void);
bool starts_are_lost(void); /* for that reason */

/* Whether this number is the first of its reservation. Then no later start has it, although the log
 * does not have it yet. `starts_take_first` makes it so, before anybody has seen the number. */
bool starts_have_first(void);
void starts_take_first(void);

#define STARTS_RESERVED UINT32_C(1024)

#endif
