/* Orders: commands that begin a motion or set an output, and therefore need a lease. */
#ifndef WALLWRIGHT_ORDERS_H
#define WALLWRIGHT_ORDERS_H

#include <stdint.h>

/* Checks the whole order before anything moves. The motion's ticket is that of the command. */
void orders_do(uint8_t type, const uint8_t *payload, uint8_t ticket);

#endif
