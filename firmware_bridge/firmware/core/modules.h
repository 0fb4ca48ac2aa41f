/* Modules on the serial ports 1 to 3, dice readers and tag readers: a request, then a line. */
#ifndef WALLWRIGHT_MODULES_H
#define WALLWRIGHT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_DICE 5u

void modules_begin(void);
void module_open(uint8_t port);

/* Sends a request. A port that does not exist or does not answer within 200 ms gives no values. */
void module_ask_dice(uint8_t port, uint8_t dice);
void module_ask_tag(uint8_t port);
bool module_has_answered(uint8_t port); /* the caller asks in every turn until it returns true */

/* The answer: 0 for a die that was not reported, 0 if there is no tag. */
uint8_t module_die(uint8_t port, uint8_t die);
void module_tag(uint8_t port, uint8_t *tag); /* 8 bytes, lowest first */

#endif
