#ifndef WALLWRIGHT_AVR_ADC_H
#define WALLWRIGHT_AVR_ADC_H

void adc_start(void);

#endif
