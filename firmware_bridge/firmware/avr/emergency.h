#ifndef WALLWRIGHT_AVR_EMERGENCY_H
#define WALLWRIGHT_AVR_EMERGENCY_H

void emergency_start(void);
void emergency_tell(void); /* from the tick, when EMERGENCY is set */

#endif
