#ifndef WALLWRIGHT_AVR_STEPS_H
#define WALLWRIGHT_AVR_STEPS_H

#include <avr/io.h>
#include <stdbool.h>

void steps_start(void);
bool steps_are_wanted(void); /* an axis has begun a motion and has not been halted */
void steps_follow(void); /* called from the tick when SEGMENT_OVER is set */

#endif
