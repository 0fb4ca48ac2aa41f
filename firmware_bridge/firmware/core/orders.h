/* Orders: commands that begin a motion, and therefore need a lease. */
#ifndef WALLWRIGHT_ORDERS_H
#define WALLWRIGHT_ORDERS_H

#include <stdint.h>

/* Each is checked whole before anything moves. Its motion's ticket is that of the command. */
void orders_do(uint8_t type, const uint8_t *payload, uint8_t ticket);

#endif
