/* Strips of WS2812 lamps, one bit for each lamp. The main loop sends them only while nothing moves,
 * since each lamp locks out the reflex for 30 us. */
#ifndef WALLWRIGHT_STRIPS_H
#define WALLWRIGHT_STRIPS_H

#include <stdbool.h>

void strips_turn(bool still);

#endif
