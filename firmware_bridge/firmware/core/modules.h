/* Modules on the serial ports 1 to 3: dice readers and tag readers, asked one line at a time. */
#ifndef WALLWRIGHT_MODULES_H
#define WALLWRIGHT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_DICE 5u

void modules_begin(void);
void module_open(uint8_t port);

/* Asks; a port that does not exist, or does not answer within 200 ms, answers nothing. */
void module_ask_dice(uint8_t port, uint8_t dice);
void module_ask_tag(uint8_t port);
bool module_has_answered(uint8_t port); /* to be asked every turn until it is so */

/* What it answered: dice not shown are 0, so is a tag that is not there. */
uint8_t module_die(uint8_t port, uint8_t die);
void module_tag(uint8_t port, uint8_t *tag); /* 8 bytes, lowest first */

#endif
