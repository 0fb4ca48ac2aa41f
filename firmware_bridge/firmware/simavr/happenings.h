/* What comes to a processor and what goes out of it, and lists of that. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum kind { UART_BYTE, PIN_LEVEL, ANALOG_MV, SUPPLY_MV, RESET };
enum { RELEASED = 2 }; /* the level of a pin that has become an input */

/* What comes in, and what has gone out; the same record for both, 16 bytes. */
struct happening {
    uint64_t cycle;
    uint32_t value;
    uint8_t kind;
    uint8_t index; /* UART, pin, or analogue input */
    uint16_t order;
};

struct list {
    struct happening *items;
    size_t count, room;
};

/* Room for one more, at the end. */
struct happening *add(struct list *list);

/* Of a heap whose first is the earliest: the one at `at` rises to its place; the first is taken. */
void rise(struct list *heap, size_t at);
struct happening pop(struct list *heap);
