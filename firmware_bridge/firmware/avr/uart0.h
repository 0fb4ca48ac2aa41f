#ifndef WALLWRIGHT_AVR_UART0_H
#define WALLWRIGHT_AVR_UART0_H

#include <avr/io.h>
#include <stdint.h>

#define UART0_ON (1u << RXCIE0 | 1u << RXEN0 | 1u << TXEN0)

void uart0_start(void);
void uart0_drain(void); /* waits until all bytes are on the wire, at most 6 ms */

#endif
