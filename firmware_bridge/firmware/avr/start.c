/* The processor's start, and the description of the processor for a simulator. */
#include "adc.h"
#include "clock.h"
#include "emergency.h"
#include "pins.h"
#include "reset.h"
#include "../port.h"
#include "steps.h"
#include "tick.h"
#include "uart0.h"

#include <avr/interrupt.h>
#include <stdint.h>

void port_start(void) {
    watchdog_start();
    pins_start();
    clock_start();
    uart0_start();
    adc_start();
    steps_start();
    emergency_start();
    tick_start();
}

/* Interrupts stay disabled until the core is ready for them. */
int main(void) {
    port_start();
    core_begin();
    sei();
    for (;;) {
        (void)core_turn();
    }
}

/* simavr reads this from the ELF file; the section is not written to the flash. */
enum { SIMAVR_NAME = 1, SIMAVR_FREQUENCY = 2 };

struct simavr_notes {
    uint8_t name_tag, name_size;
    char name[16];
    uint8_t frequency_tag, frequency_size;
    uint32_t frequency;
} __attribute__((packed));

const struct simavr_notes simavr_notes __attribute__((used, section(".mmcu"))) = {
    .name_tag = SIMAVR_NAME,
    .name_size = 16,
    .name = "atmega2560",
    .frequency_tag = SIMAVR_FREQUENCY,
    .frequency_size = sizeof(uint32_t),
    .frequency = F_CPU,
};
