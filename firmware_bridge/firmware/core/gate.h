/* When the gate of the outputs (port.h) may open: while a lease holds and no fault is latched.
 *
 * Only an order opens it. A fault, the end of the lease and the emergency input shut it; after that
 * no output changes until the cause has been removed and the host has ordered again. */
#ifndef WALLWRIGHT_GATE_H
#define WALLWRIGHT_GATE_H

#include <stdbool.h>

bool gate_opens(void); /* opens the gate if it may open; whether it is open now */

#endif
