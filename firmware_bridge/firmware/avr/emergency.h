#ifndef WALLWRIGHT_AVR_EMERGENCY_H
#define WALLWRIGHT_AVR_EMERGENCY_H

#include <stdbool.h>

void emergency_start(void);
void emergency_report(void); /* called from the tick when EMERGENCY is set */

/* Whether the input is open, or has opened and the core does not know it yet; if so, the gate is
 * halted, and the tick tells the core. Interrupts are disabled. */
bool emergency_is_open(void);

#endif
