/* Resets of the processor: what each kind keeps, and where the program begins. */
#pragma once

#include "processor.h"

#define POWER_ON_FLAG 0x01 /* bits of MCUSR */
#define EXTERNAL_FLAG 0x02
#define BROWN_OUT_FLAG 0x04

/* Lets `resetting` run in every reset, and `MCUSR` keep its flags through them. */
void watch_resets(struct processor *processor);

/* Resets the processor for a cause of outside: sets this flag of MCUSR. */
void reset_by(struct processor *processor, uint8_t flag);

/* Completes a reset that the watchdog has begun. */
void after_reset(struct processor *processor);

/* Fills the registers and the RAM with arbitrary values, as after power-on. */
void fill_memory(struct processor *processor, uint32_t seed);

/* Lets every reset begin at this address, as the fuse BOOTRST does. */
void boot_from(struct processor *processor, uint32_t at);
