#include "modules.h"

#include "../port.h"
#include "clock.h"

#include <string.h>

#define PORTS 3u
#define PATIENCE_MICROS UINT32_C(200000)
#define TAG_DIGITS 16u
#define TAG_BYTES (TAG_DIGITS / 2u)

enum request { NOTHING, DICE, TAG };

struct module {
    uint8_t request; /* of `enum request`; NOTHING: the answer is complete, or has timed out */
    uint8_t wanted;  /* digits of a complete answer */
    uint8_t came;    /* digits received */
    uint8_t answer[TAG_BYTES]; /* one byte for each die, or the tag, highest byte first */
    uint32_t until;
};

static struct module modules[PORTS];

void modules_begin(void) {
    memset(modules, 0, sizeof modules);
}

static struct module *module_on(uint8_t port) {
    return port >= 1 && port <= PORTS ? &modules[port - 1u] : 0;
}

void module_open(uint8_t port) {
    if (module_on(port)) {
        port_module_open(port);
    }
}

/* Discards everything that was received before: unasked, or too late for the last request. */
static void ask(uint8_t port, enum request request, uint8_t wanted) {
    struct module *const module = module_on(port);
    if (!module) {
        return;
    }
    while (port_module_get(port) >= 0) {
    }
    *module = (struct module){
        .request = (uint8_t)request,
        .wanted = wanted,
        .until = port_micros() + PATIENCE_MICROS,
    };
}

void module_ask_dice(uint8_t port, uint8_t dice) {
    ask(port, DICE, dice);
    port_module_put(port, 'D');
    port_module_put(port, (uint8_t)('0' + dice));
    port_module_put(port, '\n');
}

void module_ask_tag(uint8_t port) {
    ask(port, TAG, TAG_DIGITS);
    port_module_put(port, 'T');
    port_module_put(port, '\n');
}

static int8_t digit(uint8_t letter) {
    if (letter >= '0' && letter <= '9') {
        return (int8_t)(letter - '0');
    }
    letter |= 0x20u; /* to lower case */
    return letter >= 'a' && letter <= 'f' ? (int8_t)(letter - 'a' + 10) : -1;
}

static void take_digit(struct module *module, uint8_t value) {
    const uint8_t at = module->came++;
    if (at >= module->wanted) {
        return;
    }
    if (module->request == DICE) {
        module->answer[at] = value <= 6 ? value : 0;
    } else {
        module->answer[at / 2] = (uint8_t)(module->answer[at / 2] << 4 | value);
    }
}

/* An answer with another number of digits than requested counts as no answer. */
static void end_line(struct module *module) {
    module->request = NOTHING;
    if (module->came != module->wanted) {
        memset(module->answer, 0, sizeof module->answer);
    }
}

static void take(struct module *module, uint8_t byte) {
    if (byte == '\n') {
        end_line(module);
    } else if (digit(byte) >= 0) {
        take_digit(module, (uint8_t)digit(byte));
    }
}

bool module_has_answered(uint8_t port) {
    struct module *const module = module_on(port);
    if (!module) {
        return true;
    }
    while (module->request != NOTHING) {
        const int16_t byte = port_module_get(port);
        if (byte < 0) {
            break;
        }
        take(module, (uint8_t)byte);
    }
    if (module->request != NOTHING && time_reached(port_micros(), module->until)) {
        module->came = 0;
        end_line(module);
    }
    return module->request == NOTHING;
}

uint8_t module_die(uint8_t port, uint8_t die) {
    const struct module *const module = module_on(port);
    return module && die < MOST_DICE ? module->answer[die] : 0;
}

void module_tag(uint8_t port, uint8_t *tag) {
    const struct module *const module = module_on(port);
    for (uint8_t at = 0; at < TAG_BYTES; at++) {
        tag[at] = module ? module->answer[TAG_BYTES - 1u - at] : 0;
    }
}
