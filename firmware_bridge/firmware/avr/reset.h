#ifndef WALLWRIGHT_AVR_RESET_H
#define WALLWRIGHT_AVR_RESET_H

void watchdog_start(void);
void reset_find_cause(void); /* once, before the RAM is initialised */

#endif
