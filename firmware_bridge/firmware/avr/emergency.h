#ifndef WALLWRIGHT_AVR_EMERGENCY_H
#define WALLWRIGHT_AVR_EMERGENCY_H

void emergency_start(void);
void emergency_report(void); /* called from the tick when EMERGENCY is set */

#endif
