/* Where simavr does otherwise than the processor, and what puts it right. */
#pragma once

#include "processor.h"

#include "avr_timer.h"

/* A UART sends and receives ten bits a byte; simavr counts eleven. */
void true_rate(avr_t *avr, avr_uart_t *uart);

/* Flags and enables of a timer's interrupts. */
void correct_timer(avr_t *avr, avr_timer_t *timer);

/* The eight analogue inputs that simavr does not know. */
void correct_analog(struct processor *processor);

/* External interrupts, by edges. */
void watch_edges_only(avr_t *avr);
