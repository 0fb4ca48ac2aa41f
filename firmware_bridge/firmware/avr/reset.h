#ifndef WALLWRIGHT_AVR_RESET_H
#define WALLWRIGHT_AVR_RESET_H

#include <stdbool.h>

void watchdog_start(void);
bool reset_clock_is_wrong(void); /* the watchdog's oscillator has measured another frequency */
void reset_find_cause(void); /* once, before the RAM is initialised */

#endif
