/* The firmware as a whole: one start, then turns of the main loop. */
#ifndef WALLWRIGHT_CORE_H
#define WALLWRIGHT_CORE_H

#include <stdint.h>

uint32_t core_longest_turn(void); /* microseconds */

#endif
