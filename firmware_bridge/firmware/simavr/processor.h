/* One simulated processor, with the state that simavr does not keep itself. */
#pragma once

#include "io_events.h"
#include "mega_pins.h"

#include "avr_ioport.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

#include <stdbool.h>
#include <stdint.h>

#define UARTS 4
#define ANALOG_INPUTS 16
#define SIMULATED_INPUTS 8
#define EEPROM_CELLS 4096

struct processor {
    avr_t *avr;
    elf_firmware_t firmware;
    avr_uart_t *uarts[UARTS];
    avr_ioport_t *ports[PORTS];
    avr_irq_t *analog;
    uint32_t analog_mv[ANALOG_INPUTS];
    avr_io_read_t read_analog[2]; /* simavr's own functions, low and high byte */
    void *analog_param;
    struct {
        bool busy, spoils;
        uint16_t at;
        uint8_t value; /* at the end of the write in progress */
        uint32_t noise;
        uint32_t operations;
        uint32_t erasures[EEPROM_CELLS];
    } eeprom;
    uint64_t earlier_cycles; /* cycles before the last reset */
    uint64_t reset_at;
    bool was_reset;
    uint8_t reset_flags; /* MCUSR, which a reset of the chip does not clear */
    struct list inputs; /* a heap, the earliest first */
    uint64_t sequence;
    struct list outputs;
    uint8_t levels[PORTS][8]; /* as last recorded */
    avr_ioport_external_t driven[PORTS];
    avr_ioport_external_t held[PORTS]; /* bits that read this level even while the pin is an output */
    avr_io_read_t read_port[PORTS];    /* simavr's own functions */
    void *read_port_param[PORTS];
    struct hook {
        struct processor *processor;
        uint8_t port, bit, pin;
    } hooks[PORTS][8], direction_hooks[PORTS], uart_hooks[UARTS];
};
