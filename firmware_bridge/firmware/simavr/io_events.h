/* Inputs to a processor and outputs of it, as timed events, and lists of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum kind { UART_BYTE, PIN_LEVEL, ANALOG_MV, SUPPLY_MV, RESET };
enum { RELEASED = 2 }; /* the level of a pin that has become an input */

/* One input or output; the same 16-byte record for both. */
struct io_event {
    uint64_t cycle;
    uint32_t value;
    uint8_t kind;
    uint8_t index; /* UART, pin, or analogue input */
    uint16_t order; /* among inputs of the same cycle */
};

struct list {
    struct io_event *items;
    size_t count, room;
};

/* Appends an item to a list; returns the item, which the caller fills. */
struct io_event *add(struct list *list);

/* For a heap whose first item is the earliest: move the item at `at` up to its place; remove the
 * first item. */
void rise(struct list *heap, size_t at);
struct io_event pop(struct list *heap);
