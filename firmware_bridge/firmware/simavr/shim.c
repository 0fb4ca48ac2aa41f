/* A processor for Python: runs libsimavr in long slices, applies inputs exactly at their cycle, and
 * records all outputs.
 *
 * Cycles continue to count through resets. Pins have their Arduino numbers; a pin that is not
 * driven reads high if its pull-up is on, else low. UARTs run at their true rate, ten bits a byte,
 * where simavr alone would count eleven. */
#include "corrections.h"
#include "eeprom.h"
#include "processor.h"
#include "resets.h"
#include "wires.h"

#include "avr_adc.h"
#include "avr_eeprom.h"

#include <stdlib.h>
#include <string.h>

#define RUNS 0
#define CRASHED 1
#define EXPORTED __attribute__((visibility("default")))

/* Building */

static void do_not_sleep(avr_t *avr, avr_cycle_count_t cycles) {
    (void)avr;
    (void)cycles;
}

static avr_cycle_count_t stop_here(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    (void)param;
    return 0;
}

static void keep_quiet(avr_t *avr, const int level, const char *format, va_list arguments) {
    (void)avr;
    (void)level;
    (void)format;
    (void)arguments;
}

static void find_parts(struct processor *processor) {
    for (avr_io_t *io = processor->avr->io_port; io != NULL; io = io->next) {
        if (strcmp(io->kind, "uart") == 0) {
            avr_uart_t *const uart = (avr_uart_t *)io;
            processor->uarts[uart->name - '0'] = uart;
        } else if (strcmp(io->kind, "port") == 0) {
            avr_ioport_t *const port = (avr_ioport_t *)io;
            processor->ports[port->name - 'A'] = port;
        } else if (strcmp(io->kind, "timer") == 0) {
            correct_timer(processor->avr, (avr_timer_t *)io);
        } else if (strcmp(io->kind, "watchdog") == 0) {
            correct_watchdog(io);
        }
    }
    correct_analog(processor);
    correct_ports(processor);
    correct_eeprom(processor);
    processor->analog = avr_io_getirq(processor->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0);
}

/* Functions that Python calls */

EXPORTED struct processor *processor_open(const char *elf) {
    avr_global_logger_set(keep_quiet);
    struct processor *const processor = calloc(1, sizeof *processor);
    if (processor == NULL || elf_read_firmware(elf, &processor->firmware) != 0) {
        free(processor);
        return NULL;
    }
    processor->avr = avr_make_mcu_by_name(processor->firmware.mmcu);
    if (processor->avr == NULL) {
        free(processor);
        return NULL;
    }
    avr_t *const avr = processor->avr;
    avr_init(avr);
    avr->log = LOG_NONE;
    avr_load_firmware(avr, &processor->firmware);
    avr->vcc = avr->avcc = avr->aref = 5000;
    /* Run up to the next timer or interrupt at once; simavr would check after each instruction. */
    avr->run_cycle_limit = UINT32_MAX;
    avr->sleep = do_not_sleep;
    watch_edges_only(avr);
    find_parts(processor);
    watch_ports(processor);
    watch_uarts(processor);
    watch_resets(processor);
    return processor;
}

EXPORTED void processor_close(struct processor *processor) {
    avr_terminate(processor->avr);
    free(processor->avr);
    free(processor->inputs.items);
    free(processor->outputs.items);
    free(processor);
}

EXPORTED uint64_t processor_cycle(const struct processor *processor) {
    return now(processor);
}

EXPORTED int processor_run(struct processor *processor, uint64_t until) {
    avr_t *const avr = processor->avr;
    schedule_inputs(processor);
    for (uint8_t uart = 0; uart < UARTS; uart++) {
        true_rate(avr, processor->uarts[uart]);
    }
    while (now(processor) < until) {
        avr_cycle_timer_cancel(avr, stop_here, processor);
        avr_cycle_timer_register(avr, until - now(processor), stop_here, processor);
        int state = cpu_Running;
        while (now(processor) < until && !processor->was_reset && state != cpu_Crashed &&
               state != cpu_Done) {
            state = avr_run(avr);
        }
        if (processor->was_reset) {
            after_reset(processor);
        } else if (state == cpu_Crashed || state == cpu_Done) {
            return CRASHED;
        }
    }
    return RUNS;
}

/* Adds inputs in any order. They are applied in the order of their cycles, and those of the same
 * cycle in the order given. */
EXPORTED void processor_expect(struct processor *processor, const struct io_event *events,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct io_event *const item = add(&processor->inputs);
        *item = events[i];
        item->order = (uint16_t)processor->sequence++;
        rise(&processor->inputs, processor->inputs.count - 1);
    }
}

EXPORTED size_t processor_gone(const struct processor *processor) {
    return processor->outputs.count;
}

/* Copies all outputs since the last call and clears them; `into` has room for `processor_gone`. */
EXPORTED void processor_take(struct processor *processor, struct io_event *into) {
    memcpy(into, processor->outputs.items, processor->outputs.count * sizeof *into);
    processor->outputs.count = 0;
}

/* Resets the processor by its reset button or by DTR, and by the brown-out detector. */
EXPORTED void processor_reset(struct processor *processor) {
    reset_by(processor, EXTERNAL_FLAG);
}

EXPORTED void processor_brown_out(struct processor *processor) {
    reset_by(processor, BROWN_OUT_FLAG);
}

/* Before the first cycle only: the contents of the RAM at power-on, the flash, the boot section. */
EXPORTED void processor_fill_memory(struct processor *processor, uint32_t seed) {
    fill_memory(processor, seed);
}

EXPORTED void processor_write_flash(struct processor *processor, const uint8_t *code,
                                    uint32_t size, uint32_t at) {
    avr_t *const avr = processor->avr;
    memcpy(avr->flash + at, code, size);
    if (avr->codeend < at + size) {
        avr->codeend = at + size;
    }
}

EXPORTED void processor_boot_from(struct processor *processor, uint32_t at) {
    processor->avr->codeend = processor->avr->flashend;
    boot_from(processor, at);
}

EXPORTED void processor_eeprom_read(struct processor *processor, uint8_t *into, uint32_t size) {
    avr_eeprom_desc_t all = {.ee = into, .offset = 0, .size = size};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_GET, &all);
}

EXPORTED void processor_eeprom_write(struct processor *processor, uint8_t *from, uint32_t size) {
    avr_eeprom_desc_t all = {.ee = from, .offset = 0, .size = size};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_SET, &all);
}

/* Writes and erasures since power-on; `erasures` has room for a number for each cell. */
EXPORTED uint32_t processor_eeprom_wear(const struct processor *processor, uint32_t *erasures) {
    memcpy(erasures, processor->eeprom.erasures, sizeof processor->eeprom.erasures);
    return processor->eeprom.operations;
}

/* A byte of the processor's memory, for tests of state that no pin shows. */
EXPORTED uint8_t processor_memory(const struct processor *processor, uint16_t at) {
    return processor->avr->data[at];
}

/* Changes such a byte, to damage the program's memory. */
EXPORTED void processor_poke(struct processor *processor, uint16_t at, uint8_t value) {
    processor->avr->data[at] = value;
}

/* Writes a register as the program would. */
EXPORTED void processor_write(struct processor *processor, uint16_t at, uint8_t value) {
    avr_t *const avr = processor->avr;
    const avr_io_addr_t io = AVR_DATA_TO_IO(at);
    avr->io[io].w.c(avr, at, value, avr->io[io].w.param);
}

/* A byte of the flash, and such a change of it. */
EXPORTED uint8_t processor_flash(const struct processor *processor, uint32_t at) {
    return processor->avr->flash[at];
}

EXPORTED void processor_poke_flash(struct processor *processor, uint32_t at, uint8_t value) {
    processor->avr->flash[at] = value;
}

/* From now on, `hertz` of the processor's clock last as long as a second of the watchdog's oscillator. */
EXPORTED void processor_clock(struct processor *processor, uint32_t hertz) {
    processor->avr->frequency = hertz;
}

/* From now on the pin reads this level, whatever drives it; RELEASED ends it. */
EXPORTED void processor_hold(struct processor *processor, uint8_t pin, uint8_t level) {
    avr_ioport_external_t *const held = &processor->held[port_of(pin)];
    const uint8_t mask = (uint8_t)(1u << bit_of(pin));
    held->mask = (held->mask & (uint8_t)~mask) | (level == RELEASED ? 0 : mask);
    held->value = (held->value & (uint8_t)~mask) | (level == 1 ? mask : 0);
}

/* The address of the next instruction, to measure the time of a part of the program. */
EXPORTED uint32_t processor_place(const struct processor *processor) {
    return processor->avr->pc;
}

/* Makes the program hang: it jumps to the end that avr-libc gives it, `cli` and an endless loop. With
 * `interrupts` it jumps past the `cli`, so that only the main program hangs. False: it has no end. */
EXPORTED bool processor_hang(struct processor *processor, bool interrupts) {
    static const uint8_t end[] = {0xF8, 0x94, 0xFF, 0xCF};
    avr_t *const avr = processor->avr;
    for (uint32_t at = 0; at + sizeof end <= avr->codeend; at += 2) {
        if (memcmp(avr->flash + at, end, sizeof end) == 0) {
            avr->pc = at + (interrupts ? 2 : 0);
            return true;
        }
    }
    return false;
}
