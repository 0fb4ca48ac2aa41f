/* Stops: end all motions, or those of the channels that the host names. */
#ifndef WALLWRIGHT_STOPS_H
#define WALLWRIGHT_STOPS_H

#include <stdbool.h>
#include <stdint.h>

void stop_all(uint8_t reason, bool without_ramp); /* outputs to safe values; axes by ramp or not */
void stop_ordered(uint8_t number);                /* the command Stop */

#endif
