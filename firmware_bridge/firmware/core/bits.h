/* Sets of small numbers, one bit for each number. */
#ifndef WALLWRIGHT_BITS_H
#define WALLWRIGHT_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline void bits_add(uint8_t *set, uint8_t number) {
    set[number / 8u] = (uint8_t)(set[number / 8u] | 1u << number % 8u);
}

static inline void bits_remove(uint8_t *set, uint8_t number) {
    set[number / 8u] = (uint8_t)(set[number / 8u] & ~(1u << number % 8u));
}

static inline bool bits_have(const uint8_t *set, uint8_t number) {
    return ((uint8_t)(set[number / 8u] >> number % 8u) & 1u) != 0;
}

#endif
