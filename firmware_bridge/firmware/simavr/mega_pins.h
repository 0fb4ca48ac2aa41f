/* The Mega 2560's pins by their Arduino numbers, and the ports on which they are. */
#pragma once

#include <stdint.h>

#define PORTS 12 /* A to L; there is no port I, its index is unused */
#define PINS 70
#define NO_PIN 255

uint8_t port_of(uint8_t pin);
uint8_t bit_of(uint8_t pin);
uint8_t pin_at(uint8_t port, uint8_t bit);
