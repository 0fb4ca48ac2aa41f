/* The cause of the last reset, the watchdog, and the jump to the ROM's bootloader.
 *
 * The watchdog's scratch registers keep their content through a reset by the watchdog, and are
 * cleared by every other one. The first contains a signature while this program's watchdog runs: the
 * bootloader also resets the chip by the watchdog after it has written a program. */
#include "chip.h"

#include "../core/wire.h"
#include "../port.h"
#include "registers.h"

#define SIGNATURE UINT32_C(0x57414C4C)
#define TIMEOUT_MICROS 60000u

static uint8_t cause;

/* A brown-out sets the same flag as a power-on, so it is reported as one. */
static uint8_t find_cause(void) {
    if (REGISTER(WATCHDOG_REASON) != 0) {
        return REGISTER(WATCHDOG_SCRATCH0) == SIGNATURE ? RESET_CAUSE_WATCHDOG
                                                        : RESET_CAUSE_BOOTLOADER;
    }
    return REGISTER(CHIP_RESET) & HAD_RUN_PIN ? RESET_CAUSE_EXTERNAL : RESET_CAUSE_POWER;
}

/* The counter of this chip counts two for each microsecond (erratum E1). */
static void kick(void) {
    REGISTER(WATCHDOG_LOAD) = 2u * TIMEOUT_MICROS;
}

void reset_start(void) {
    cause = find_cause();
    REGISTER(WATCHDOG_SCRATCH0) = SIGNATURE;
    REGISTER(PSM_WDSEL) = PSM_ALL_BUT_OSCILLATORS;
    kick();
    register_set(WATCHDOG_CTRL, WATCHDOG_ENABLE);
}

uint8_t port_reset_cause(void) {
    return cause;
}

/* Only if the tick has run too: without it the board must be reset. */
void port_watchdog_kick(void) {
    if (tick_has_run()) {
        kick();
    }
}

/* Functions of the ROM are found by two letters: datasheet, section 2.8.3. */
#define ROM_TABLE 0x14u
#define ROM_LOOKUP 0x18u
#define RESET_USB_BOOT ('U' | 'B' << 8)

/* The address is hidden from the compiler, which would warn of a pointer to the first page. */
static uint32_t rom_half_word(uint32_t address) {
    __asm__("" : "+r"(address));
    return *(const volatile uint16_t *)(uintptr_t)address;
}

void port_bootloader(void) {
    link_drain();
    (void)mask();
    port_gate_halt();
    register_clear(WATCHDOG_CTRL, WATCHDOG_ENABLE);
    REGISTER(WATCHDOG_SCRATCH0) = 0;
    typedef void *(*lookup)(uint16_t *table, uint32_t code);
    typedef void (*usb_boot)(uint32_t activity_pins, uint32_t interfaces_off);
    const lookup find = (lookup)(uintptr_t)rom_half_word(ROM_LOOKUP);
    uint16_t *const table = (uint16_t *)(uintptr_t)rom_half_word(ROM_TABLE);
    const usb_boot boot = (usb_boot)(uintptr_t)find(table, RESET_USB_BOOT);
    boot(0, 0);
    for (;;) {
    }
}
