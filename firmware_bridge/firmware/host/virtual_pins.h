/* The firmware on a processor that consists of time and pins only: the functions with which a test,
 * or the POSIX process, controls it. It is deterministic: time passes only in `hw_advance`.
 *
 * One copy of the library is one board, because its state is static, as on the chip. Pins that are
 * not connected read high, except for the two safety inputs, whose contacts are closed. */
#ifndef WALLWRIGHT_VIRTUAL_PINS_H
#define WALLWRIGHT_VIRTUAL_PINS_H

#include <stdint.h>

#define HW_TICK_MICROS 20u

struct hw_change {
    uint64_t at; /* microseconds */
    uint8_t pin;
    int8_t level; /* -1: not driven */
};

/* Turns the supply on, or resets the board by a cause as in Identity, at time `at`. The storage and
 * the levels on the input pins are kept. */
void hw_reset(uint8_t cause, uint64_t at);
void hw_damage(uint8_t found); /* the processor finds these defects of itself, until its reset */
void hw_new(void);          /* a new processor: an erased storage, nothing connected to any pin */

void hw_advance(uint32_t micros);
void hw_rest(uint64_t micros, uint32_t step); /* in steps of `step`, for times in which nothing happens */
uint64_t hw_micros(void);

uint32_t hw_rx(const uint8_t *bytes, uint32_t size); /* from the host; returns the number taken */
uint32_t hw_tx(uint8_t *bytes, uint32_t most);       /* to the host; returns their number */

void hw_pin(uint8_t pin, uint8_t level);
/* Opens the emergency input at a point of the main loop: a call of the processor, of which each can
 * be interrupted; 1 is the next one. The reflex reports it `report_after` such calls later. */
void hw_press_at(uint32_t point, uint32_t report_after);
/* Changes an input at a point of the main loop. The reflex processes the edge at once, or after the
 * lock; `trip_after` points later 60 us have passed, and the reflex runs if its alarm is due. */
void hw_edge_at(uint8_t pin, uint8_t level, uint32_t point, uint32_t trip_after);
uint8_t hw_press_is_due(void); /* the main loop has not come to both points yet, of either function */
int8_t hw_output(uint8_t pin); /* -1: not driven */
/* Changes of outputs, and of inputs by `hw_press_at` and `hw_edge_at`, since the last call. */
uint32_t hw_changes(struct hw_change *changes, uint32_t most);
void hw_analog(uint8_t pin, uint16_t millivolts);
void hw_late_steps(uint8_t axis); /* says that a step of this axis was late */
int32_t hw_axis_steps(uint8_t axis); /* forward minus reverse since the reset */
uint32_t hw_lamps(uint8_t pin); /* of a strip, as last sent: one bit for each lamp */

uint32_t hw_module_rx(uint8_t port, const uint8_t *bytes, uint32_t size);
uint32_t hw_module_tx(uint8_t port, uint8_t *bytes, uint32_t most);

/* The storage. `hw_storage_shape` comes before a start; the times are 0 at first. After `more`
 * further writes and erasures, the next one is cut off: its bytes become random, and nothing is
 * written any more until the next reset. */
uint8_t *hw_eeprom(void); /* its content: 65,535 bytes, of which the Mega has 4,096 */
void hw_storage_shape(uint16_t block, uint16_t page, uint8_t pages, uint8_t chunk);
void hw_storage_times(uint32_t write_micros, uint32_t erase_micros);
void hw_cut_after(uint32_t more, uint32_t seed);
void hw_wear_out(uint16_t at); /* this cell keeps its value when it is erased */
uint8_t hw_is_cut(void);
uint32_t hw_storage_operations(void);
uint32_t hw_storage_wear(void); /* erasures of the cell that has the most */

/* The supply, in permille of its nominal voltage. The second function lets it fall and returns the
 * microseconds until the board has saved its state; the caller resets it afterwards. */
void hw_supply(uint16_t permille);
uint32_t hw_supply_falls(void);

uint8_t hw_left_for_bootloader(void);

#endif
