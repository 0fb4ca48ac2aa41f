/* The Pico's storage behind the virtual processor: rp2040/storage.c on the flash of this folder. */
#include "../../port.h"
#include "../../rp2040/chip.h"
#include "../virtual_chip.h"
#include "../virtual_pins.h"
#include "flash.h"

#define NOMINAL 1000u

uint16_t port_supply_permille(void) {
    return NOMINAL;
}

bool port_supply_calibrate(uint16_t reference_mv) {
    (void)reference_mv;
    return false;
}

void storage_new(void) {
    pico_flash_new();
}

void port_supply_start(void) {
}

void storage_reset(bool power) {
    (void)power;
    storage_start();
}
