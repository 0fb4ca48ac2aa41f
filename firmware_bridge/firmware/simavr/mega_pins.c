#include "mega_pins.h"

static const char pin_names[PINS][3] = {
    "E0", "E1", "E4", "E5", "G5", "E3", "H3", "H4", "H5", "H6", "B4", "B5", "B6", "B7",
    "J1", "J0", "H1", "H0", "D3", "D2", "D1", "D0", "A0", "A1", "A2", "A3", "A4", "A5",
    "A6", "A7", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "C0", "D7", "G2", "G1", "G0",
    "L7", "L6", "L5", "L4", "L3", "L2", "L1", "L0", "B3", "B2", "B1", "B0", "F0", "F1",
    "F2", "F3", "F4", "F5", "F6", "F7", "K0", "K1", "K2", "K3", "K4", "K5", "K6", "K7",
};

uint8_t port_of(uint8_t pin) {
    return (uint8_t)(pin_names[pin][0] - 'A');
}

uint8_t bit_of(uint8_t pin) {
    return (uint8_t)(pin_names[pin][1] - '0');
}

uint8_t pin_at(uint8_t port, uint8_t bit) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        if (port_of(pin) == port && bit_of(pin) == bit) {
            return pin;
        }
    }
    return NO_PIN;
}
