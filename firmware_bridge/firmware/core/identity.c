#include "identity.h"

#include "../port.h"
#include "crc.h"

#include <string.h>

struct identity identity;

static const uint8_t unset_serial[SERIAL_SIZE] PORT_FLASH = {'U', 'N', 'S', 'E', 'T', '0', '0', '0'};
#define UNSET_KEY_SIZE 16u

static bool provision_is_sound(void) {
    uint16_t crc = CRC_SEED;
    for (uint16_t at = 0; at < PROVISION_SIZE; at++) {
        crc = crc_add(crc, port_eeprom_read(PROVISION_AT + at));
    }
    const uint16_t stored = (uint16_t)(port_eeprom_read(PROVISION_AT + PROVISION_SIZE) |
                                       (uint16_t)port_eeprom_read(PROVISION_AT + PROVISION_SIZE + 1)
                                           << 8);
    return crc == stored && port_eeprom_read(PROVISION_AT) == PROVISION_VERSION;
}

static void copy(uint8_t *to, uint16_t from, uint8_t size) {
    for (uint8_t at = 0; at < size; at++) {
        to[at] = port_eeprom_read(from + at);
    }
}

static void read_provision(void) {
    copy(identity.serial, PROVISION_AT + 1, SERIAL_SIZE);
    copy(identity.key, PROVISION_AT + 1 + SERIAL_SIZE, MOST_KEY);
    const uint8_t size = port_eeprom_read(PROVISION_AT + 1 + SERIAL_SIZE + MOST_KEY);
    identity.key_size = size < MOST_KEY ? size : MOST_KEY;
    identity.address = port_eeprom_read(PROVISION_AT + 2 + SERIAL_SIZE + MOST_KEY);
}

static void set_unprovisioned(void) {
    memset(&identity, 0, sizeof identity);
    for (uint8_t at = 0; at < SERIAL_SIZE; at++) {
        identity.serial[at] = port_flash_u8(&unset_serial[at]);
    }
    identity.key_size = UNSET_KEY_SIZE;
}

static void write_if_different(uint16_t at, uint8_t byte) {
    while (!port_eeprom_ready()) {
    }
    if (port_eeprom_read(at) == byte) {
        return;
    }
    port_eeprom_write(at, byte);
    while (!port_eeprom_ready()) {
    }
}

#define ERASED 0xFFFFu

static void count_start(void) {
    const uint16_t low = port_eeprom_read(BOOTS_AT);
    const uint16_t before = (uint16_t)(low | (uint16_t)port_eeprom_read(BOOTS_AT + 1) << 8);
    identity.boots = before == ERASED ? 1u : (uint16_t)(before + 1u);
    write_if_different(BOOTS_AT, (uint8_t)identity.boots);
    write_if_different(BOOTS_AT + 1, (uint8_t)(identity.boots >> 8));
}

void identity_begin(void) {
    set_unprovisioned();
    identity.provisioned = provision_is_sound();
    if (identity.provisioned) {
        read_provision();
    }
    count_start();
}
