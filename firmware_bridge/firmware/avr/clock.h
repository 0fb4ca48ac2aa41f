#ifndef WALLWRIGHT_AVR_CLOCK_H
#define WALLWRIGHT_AVR_CLOCK_H

void clock_start(void);

#endif
