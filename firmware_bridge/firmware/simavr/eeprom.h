/* The EEPROM as the data sheet describes it; simavr's own writes at once and knows one mode only.
 *
 * Erasing and writing a byte takes 3.4 ms, erasing or writing alone 1.8 ms. A write alone clears bits
 * only. Until the end, the byte has an undefined value, reading does nothing, and a new write is
 * ignored. A reset does not end a write. A write at a supply below 4 V, where the processor is not
 * specified for 16 MHz, leaves undefined values in its byte and at address 0. */
#pragma once

#include "processor.h"

void correct_eeprom(struct processor *processor);

/* Ends the write in progress: before a reset, whose cycles simavr counts anew. */
void finish_eeprom(struct processor *processor);
