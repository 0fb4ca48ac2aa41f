/* Corrections of simavr where it differs from the processor. */
#pragma once

#include "processor.h"

#include "avr_timer.h"

/* A UART sends and receives ten bits a byte; simavr counts eleven. */
void true_rate(avr_t *avr, avr_uart_t *uart);

/* Flags and enables of a timer's interrupts. */
void correct_timer(avr_t *avr, avr_timer_t *timer);

/* A watchdog whose interrupt is not served until the next time-out resets the processor. */
void correct_watchdog(avr_io_t *io);

/* Pins that a short circuit holds at a level, against the processor's own output. */
void correct_ports(struct processor *processor);

/* Adds the eight analogue inputs that simavr lacks. */
void correct_analog(struct processor *processor);

/* Makes external interrupts occur at edges only. */
void watch_edges_only(avr_t *avr);
