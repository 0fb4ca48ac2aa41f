/* A processor's wires: what goes out over them is recorded, what comes in arrives at its cycle. */
#pragma once

#include "processor.h"

/* Cycles since it was made, through resets. */
uint64_t now(const struct processor *processor);

void tell(struct processor *processor, enum kind kind, uint8_t index, uint32_t value);

/* What goes out, from now on. */
void watch_ports(struct processor *processor);
void watch_uarts(struct processor *processor);

/* What comes in, as soon as its cycle does. */
void await_inputs(struct processor *processor);

/* The world outside does not reset: levels and inputs go on. */
void wire_again(struct processor *processor);
