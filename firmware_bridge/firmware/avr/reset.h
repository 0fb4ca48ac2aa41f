#ifndef WALLWRIGHT_AVR_RESET_H
#define WALLWRIGHT_AVR_RESET_H

void watchdog_start(void);

#endif
