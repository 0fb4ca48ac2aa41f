/* A processor's connections: records outputs, and applies inputs at their cycle. */
#pragma once

#include "processor.h"

/* Cycles since the processor was made, through resets. */
uint64_t now(const struct processor *processor);

void record(struct processor *processor, enum kind kind, uint8_t index, uint32_t value);

/* Start to record the outputs. */
void watch_ports(struct processor *processor);
void watch_uarts(struct processor *processor);

/* Sets a timer for the cycle of the next input. */
void schedule_inputs(struct processor *processor);

/* Applies the levels and the remaining inputs again: a reset does not change them. */
void reapply_inputs(struct processor *processor);
