#ifndef WALLWRIGHT_AVR_ADC_H
#define WALLWRIGHT_AVR_ADC_H

#include <stdint.h>

void adc_start(void);
void adc_leave(uint8_t pin); /* its digital input works again */

#endif
