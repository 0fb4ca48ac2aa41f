#include "crc.h"

uint16_t crc_over(uint16_t crc, const uint8_t *bytes, uint8_t size) {
    while (size-- > 0) {
        crc = crc_add(crc, *bytes++);
    }
    return crc;
}
