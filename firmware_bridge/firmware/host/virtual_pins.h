/* The firmware on a processor that is only time and pins: what a test, or the POSIX process, does
 * to it. Everything is deterministic: time passes in `hw_advance` and nowhere else.
 *
 * One board a copy of the library: its state is static, as on the chip. Pins without anything on
 * them read high, except for the two safety inputs, whose contacts are closed. */
#ifndef WALLWRIGHT_VIRTUAL_PINS_H
#define WALLWRIGHT_VIRTUAL_PINS_H

#include <stdint.h>

#define HW_TICK_MICROS 20u

struct hw_change {
    uint64_t at; /* microseconds */
    uint8_t pin;
    int8_t level; /* -1: not driven */
};

/* The supply comes on (or the board is reset, by a cause as in Identity) at time `at`. The EEPROM,
 * and what is on the input pins, are as they were. */
void hw_reset(uint8_t cause, uint64_t at);
void hw_supply_falls(void); /* the board saves what it can; reset it afterwards */
void hw_new(void);          /* from the factory: an erased EEPROM, nothing on any pin */

void hw_advance(uint32_t micros);
uint64_t hw_micros(void);

uint32_t hw_rx(const uint8_t *bytes, uint32_t size); /* from the host: how many it took */
uint32_t hw_tx(uint8_t *bytes, uint32_t most);       /* to the host: how many there were */

void hw_pin(uint8_t pin, uint8_t level);
int8_t hw_output(uint8_t pin); /* -1: not driven */
uint32_t hw_changes(struct hw_change *changes, uint32_t most); /* of outputs, since last asked */
void hw_analog(uint8_t pin, uint16_t millivolts);
int32_t hw_axis_steps(uint8_t axis); /* forward minus reverse since the reset */
uint32_t hw_lamps(uint8_t pin); /* of a strip, as sent last: a bit a lamp */

uint32_t hw_module_rx(uint8_t port, const uint8_t *bytes, uint32_t size);
uint32_t hw_module_tx(uint8_t port, uint8_t *bytes, uint32_t most);

uint8_t *hw_eeprom(void); /* 4096 bytes */
uint8_t hw_left_for_bootloader(void);

#endif
