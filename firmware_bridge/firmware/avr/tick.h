#ifndef WALLWRIGHT_AVR_TICK_H
#define WALLWRIGHT_AVR_TICK_H

#include <stdbool.h>
#include <stdint.h>

void tick_start(void);
bool tick_has_run(void); /* since the last call */

/* For sampling.S: */
void tick_cut(uint8_t port, uint8_t changed);
void tick_alarm(void);
void tick_run_core(void);
void tick_follow(void);

#endif
