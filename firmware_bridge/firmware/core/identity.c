#include "identity.h"

#include "../port.h"
#include "limits.h"
#include "twin.h"

#include <string.h>

struct identity identity;

static const uint8_t unset_serial[SERIAL_SIZE] PORT_FLASH = {'U', 'N', 'S', 'E', 'T', '0', '0', '0'};
static const uint8_t damaged_serial[SERIAL_SIZE] PORT_FLASH = {'D', 'A', 'M', 'A',
                                                               'G', 'E', 'D', '0'};
#define UNSET_KEY_SIZE 16u

_Static_assert(IDENTITY_CONTENT + 1u + TWIN_CRC == TWIN_IDENTITY_SIZE, "the layout has this size");

static void set_unprovisioned(const uint8_t *serial) {
    memset(&identity, 0, sizeof identity);
    for (uint8_t byte = 0; byte < SERIAL_SIZE; byte++) {
        identity.serial[byte] = port_flash_u8(&serial[byte]);
    }
    identity.key_size = UNSET_KEY_SIZE;
}

void identity_begin(void) {
    uint8_t content[IDENTITY_CONTENT];
    twin_begin();
    const enum twin_state state = twin_read(STORED_IDENTITY, content);
    set_unprovisioned(state == TWIN_ERASED ? unset_serial : damaged_serial);
    if (!limits_begin()) {
        set_unprovisioned(damaged_serial);
    } else if (state == TWIN_SOUND) {
        const uint8_t *const rest = content + SERIAL_SIZE + MOST_KEY;
        memcpy(identity.serial, content, SERIAL_SIZE);
        memcpy(identity.key, content + SERIAL_SIZE, MOST_KEY);
        identity.key_size = rest[0] < MOST_KEY ? rest[0] : MOST_KEY;
        identity.address = rest[1];
        identity.provisioned = true;
    }
}
