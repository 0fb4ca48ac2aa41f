#ifndef WALLWRIGHT_AVR_STEPS_H
#define WALLWRIGHT_AVR_STEPS_H

#include <avr/io.h>

void steps_start(void);
void steps_follow(void); /* called from the tick when SEGMENT_OVER is set */

#endif
