/* A processor for Python: libsimavr run in long slices, with inputs that come exactly at their
 * cycle and a record of everything that it gives out.
 *
 * Cycles count on through resets. Pins have their Arduino numbers; a pin that nothing drives reads
 * high if its pull-up is on, else low. UARTs run at their true rate of ten bits a byte, where
 * simavr alone would count eleven. */
#include "avr_adc.h"
#include "avr_eeprom.h"
#include "avr_extint.h"
#include "avr_ioport.h"
#include "avr_timer.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define UARTS 4
#define PORTS 12 /* A to L; there is no I, its place stays empty */
#define PINS 70
#define EXTERNAL_INTERRUPTS 8
#define ANALOG_INPUTS 16
#define NO_PIN 255
#define RUNS 0
#define CRASHED 1

enum kind { UART_BYTE, PIN_LEVEL, ANALOG_MV, SUPPLY_MV, RESET };
enum { RELEASED = 2 }; /* the level of a pin that has become an input */

/* What comes in, and what has gone out; the same record for both, 16 bytes. */
struct happening {
    uint64_t cycle;
    uint32_t value;
    uint8_t kind;
    uint8_t index; /* UART, pin, or analogue input */
    uint16_t order;
};

struct list {
    struct happening *items;
    size_t count, room;
};

struct processor {
    avr_t *avr;
    elf_firmware_t firmware;
    avr_uart_t *uarts[UARTS];
    avr_ioport_t *ports[PORTS];
    avr_irq_t *analog;
    uint32_t analog_mv[ANALOG_INPUTS];
    avr_io_read_t read_analog[2]; /* simavr's own, low and high */
    void *analog_param;
    uint64_t passed; /* cycles before the last reset */
    uint64_t reset_at;
    bool was_reset;
    struct list coming; /* a heap, the earliest first */
    uint64_t sequence;
    struct list gone;
    uint8_t levels[PORTS][8]; /* as last told */
    avr_ioport_external_t driven[PORTS];
    struct hook {
        struct processor *processor;
        uint8_t port, bit, pin;
    } hooks[PORTS][8], direction_hooks[PORTS], uart_hooks[UARTS];
};

static const char pin_names[PINS][3] = {
    "E0", "E1", "E4", "E5", "G5", "E3", "H3", "H4", "H5", "H6", "B4", "B5", "B6", "B7",
    "J1", "J0", "H1", "H0", "D3", "D2", "D1", "D0", "A0", "A1", "A2", "A3", "A4", "A5",
    "A6", "A7", "C7", "C6", "C5", "C4", "C3", "C2", "C1", "C0", "D7", "G2", "G1", "G0",
    "L7", "L6", "L5", "L4", "L3", "L2", "L1", "L0", "B3", "B2", "B1", "B0", "F0", "F1",
    "F2", "F3", "F4", "F5", "F6", "F7", "K0", "K1", "K2", "K3", "K4", "K5", "K6", "K7",
};

static uint8_t port_of(uint8_t pin) {
    return (uint8_t)(pin_names[pin][0] - 'A');
}

static uint8_t bit_of(uint8_t pin) {
    return (uint8_t)(pin_names[pin][1] - '0');
}

static uint8_t pin_at(uint8_t port, uint8_t bit) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        if (port_of(pin) == port && bit_of(pin) == bit) {
            return pin;
        }
    }
    return NO_PIN;
}

/* Lists */

static struct happening *add(struct list *list) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (list->items == NULL) {
            abort();
        }
    }
    return &list->items[list->count++];
}

static bool earlier(const struct happening *one, const struct happening *other) {
    if (one->cycle != other->cycle) {
        return one->cycle < other->cycle;
    }
    return (int16_t)(one->order - other->order) < 0;
}

static void swap(struct happening *one, struct happening *other) {
    const struct happening kept = *one;
    *one = *other;
    *other = kept;
}

static void rise(struct list *heap, size_t at) {
    while (at > 0 && earlier(&heap->items[at], &heap->items[(at - 1) / 2])) {
        swap(&heap->items[at], &heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sink(struct list *heap, size_t at) {
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap->count; child++) {
            if (earlier(&heap->items[child], &heap->items[first])) {
                first = child;
            }
        }
        if (first == at) {
            return;
        }
        swap(&heap->items[at], &heap->items[first]);
        at = first;
    }
}

static struct happening pop(struct list *heap) {
    const struct happening top = heap->items[0];
    heap->items[0] = heap->items[--heap->count];
    sink(heap, 0);
    return top;
}

/* What goes out */

static uint64_t now(const struct processor *processor) {
    return processor->passed + processor->avr->cycle;
}

static void tell(struct processor *processor, enum kind kind, uint8_t index, uint32_t value) {
    *add(&processor->gone) = (struct happening){
        .cycle = now(processor), .kind = kind, .index = index, .value = value};
}

static void tell_level(const struct hook *hook, uint8_t bit, uint8_t pin, uint8_t level) {
    uint8_t *const known = &hook->processor->levels[hook->port][bit];
    if (*known != level && pin != NO_PIN) {
        *known = level;
        tell(hook->processor, PIN_LEVEL, pin, level);
    }
}

static void pin_changed(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    const avr_t *const avr = hook->processor->avr;
    if (avr->data[hook->processor->ports[hook->port]->r_ddr] >> hook->bit & 1) {
        tell_level(hook, hook->bit, hook->pin, value & 1);
    }
}

static void direction_changed(avr_irq_t *irq, uint32_t outputs, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    const struct processor *const processor = hook->processor;
    const uint8_t high = processor->avr->data[processor->ports[hook->port]->r_port];
    for (uint8_t bit = 0; bit < 8; bit++) {
        const uint8_t level = outputs >> bit & 1 ? high >> bit & 1 : RELEASED;
        tell_level(hook, bit, processor->hooks[hook->port][bit].pin, level);
    }
}

static void byte_sent(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    tell(hook->processor, UART_BYTE, hook->port, value & 0xFF);
}

/* What comes in */

static void drive(struct processor *processor, uint8_t pin, uint32_t level) {
    avr_t *const avr = processor->avr;
    const uint8_t port = port_of(pin), bit = bit_of(pin);
    avr_ioport_external_t *const driven = &processor->driven[port];
    if (level == RELEASED) {
        driven->mask &= (uint8_t) ~(1 << bit);
        level = avr->data[processor->ports[port]->r_port] >> bit & 1;
    } else {
        driven->mask |= (uint8_t)(1 << bit);
        driven->value = (driven->value & (uint8_t) ~(1 << bit)) | (uint8_t)((level & 1) << bit);
    }
    /* simavr raises its pull-ups anew with every write to the port: tell it what is stronger. */
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL((char)('A' + port)), driven);
    if (!(avr->data[processor->ports[port]->r_ddr] >> bit & 1)) {
        avr_raise_irq(&processor->ports[port]->io.irq[bit], level & 1);
    }
}

static void true_rate(avr_t *avr, avr_uart_t *uart) {
    const uint16_t divisor = (uint16_t)(avr_regbit_get(avr, uart->ubrrl) |
                                        avr_regbit_get(avr, uart->ubrrh) << 8);
    const unsigned sampling = avr_regbit_get(avr, uart->u2x) ? 8 : 16;
    uart->cycles_per_byte = (divisor + 1u) * sampling * 10u;
}

/* simavr measures the first eight analogue inputs; the others are put in here as they are read. */
enum { SIMULATED_INPUTS = 8, ADCL = 0x78, ADCH = 0x79, ADCSRB = 0x7B, MUX5 = 3, ADMUX = 0x7C };

static uint8_t analog_read(avr_t *avr, avr_io_addr_t at, void *param) {
    const struct processor *const processor = param;
    if (avr->data[ADCSRB] >> MUX5 & 1) {
        const uint32_t mv = processor->analog_mv[SIMULATED_INPUTS + (avr->data[ADMUX] & 7)];
        const uint32_t steps = mv * 1024 / avr->avcc;
        const uint32_t reading = steps < 1024 ? steps : 1023;
        avr->data[ADCL] = (uint8_t)reading;
        avr->data[ADCH] = (uint8_t)(reading >> 8);
        return avr->data[at];
    }
    return processor->read_analog[at - ADCL](avr, at, processor->analog_param);
}

static void arrive(struct processor *processor, const struct happening *what) {
    switch (what->kind) {
    case UART_BYTE:
        true_rate(processor->avr, processor->uarts[what->index]);
        avr_raise_irq(&processor->uarts[what->index]->io.irq[UART_IRQ_INPUT], what->value);
        break;
    case PIN_LEVEL:
        drive(processor, what->index, what->value);
        break;
    case ANALOG_MV:
        processor->analog_mv[what->index] = what->value;
        if (what->index < SIMULATED_INPUTS) {
            avr_raise_irq(&processor->analog[what->index], what->value);
        }
        break;
    case SUPPLY_MV:
        processor->avr->vcc = processor->avr->avcc = processor->avr->aref = what->value;
        break;
    default:
        break;
    }
}

static avr_cycle_count_t inputs_due(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    struct processor *const processor = param;
    struct list *const coming = &processor->coming;
    while (coming->count > 0 && coming->items[0].cycle <= now(processor)) {
        const struct happening what = pop(coming);
        arrive(processor, &what);
    }
    return coming->count > 0 ? coming->items[0].cycle - processor->passed : 0;
}

static void await_inputs(struct processor *processor) {
    avr_t *const avr = processor->avr;
    avr_cycle_timer_cancel(avr, inputs_due, processor);
    if (processor->coming.count > 0) {
        const uint64_t due = processor->coming.items[0].cycle;
        const uint64_t at = now(processor);
        avr_cycle_timer_register(avr, due > at ? due - at : 0, inputs_due, processor);
    }
}

/* Resets */

static void (*reset_of_chip)(avr_t *avr);

static void resetting(avr_t *avr) {
    struct processor *const processor = avr->custom.data;
    processor->reset_at = now(processor);
    processor->was_reset = true;
    if (reset_of_chip != NULL) {
        reset_of_chip(avr);
    }
}

/* The world outside does not reset: cycles, levels and inputs go on. */
static void after_reset(struct processor *processor) {
    processor->was_reset = false;
    processor->passed = processor->reset_at - processor->avr->cycle;
    tell(processor, RESET, 0, processor->avr->data[0x54]);
    for (uint8_t pin = 0; pin < PINS; pin++) {
        const uint8_t port = port_of(pin), bit = bit_of(pin);
        tell_level(&processor->hooks[port][bit], bit, pin, RELEASED);
        if (processor->driven[port].mask >> bit & 1) {
            drive(processor, pin, processor->driven[port].value >> bit & 1);
        }
    }
    await_inputs(processor);
}

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

/* An input at low level would be asked for every cycle, whether its interrupt is on or not; the
 * firmware uses edges only. */
static void watch_edges_only(avr_t *avr) {
    for (uint8_t input = 0; input < EXTERNAL_INTERRUPTS; input++) {
        avr_extint_set_strict_lvl_trig(avr, input, 0);
    }
}

static void clear_if_written(avr_t *avr, avr_int_vector_t *vector, uint8_t written) {
    if (vector->vector != 0 && written >> vector->raised.bit & 1) {
        avr_clear_interrupt(avr, vector);
    }
}

/* Writing a one clears that flag alone; simavr would take pending ones with it. */
static void timer_flags_written(avr_t *avr, avr_io_addr_t at, uint8_t written, void *param) {
    (void)at;
    avr_timer_t *const timer = param;
    clear_if_written(avr, &timer->overflow, written);
    clear_if_written(avr, &timer->icr, written);
    for (int unit = 0; unit < AVR_TIMER_COMP_COUNT; unit++) {
        clear_if_written(avr, &timer->comp[unit].interrupt, written);
    }
}

static void raise_if_due(avr_t *avr, avr_int_vector_t *vector) {
    if (vector->vector != 0 && avr_regbit_get(avr, vector->enable) &&
        avr_regbit_get(avr, vector->raised)) {
        avr_raise_interrupt(avr, vector);
    }
}

/* An interrupt whose flag rose while it was off comes when it is switched on; simavr forgets it. */
static void timer_enables_written(avr_t *avr, avr_io_addr_t at, uint8_t written, void *param) {
    avr_timer_t *const timer = param;
    avr_core_watch_write(avr, at, written);
    raise_if_due(avr, &timer->overflow);
    raise_if_due(avr, &timer->icr);
    for (int unit = 0; unit < AVR_TIMER_COMP_COUNT; unit++) {
        raise_if_due(avr, &timer->comp[unit].interrupt);
    }
}

static void correct(avr_t *avr, avr_timer_t *timer) {
    const avr_io_addr_t flags = AVR_DATA_TO_IO(timer->overflow.raised.reg);
    avr->io[flags].w.c = timer_flags_written;
    avr->io[flags].w.param = timer;
    const avr_io_addr_t enables = AVR_DATA_TO_IO(timer->overflow.enable.reg);
    avr->io[enables].w.c = timer_enables_written;
    avr->io[enables].w.param = timer;
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
            correct(processor->avr, (avr_timer_t *)io);
        }
    }
    avr_t *const avr = processor->avr;
    processor->analog_param = avr->io[AVR_DATA_TO_IO(ADCL)].r.param;
    for (avr_io_addr_t at = ADCL; at <= ADCH; at++) {
        processor->read_analog[at - ADCL] = avr->io[AVR_DATA_TO_IO(at)].r.c;
        avr->io[AVR_DATA_TO_IO(at)].r.c = analog_read;
        avr->io[AVR_DATA_TO_IO(at)].r.param = processor;
    }
    processor->analog = avr_io_getirq(processor->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0);
}

static void watch_ports(struct processor *processor) {
    for (uint8_t port = 0; port < PORTS; port++) {
        if (processor->ports[port] == NULL) {
            continue;
        }
        avr_irq_t *const irqs = processor->ports[port]->io.irq;
        for (uint8_t bit = 0; bit < 8; bit++) {
            processor->levels[port][bit] = RELEASED;
            processor->hooks[port][bit] = (struct hook){processor, port, bit, pin_at(port, bit)};
            avr_irq_register_notify(&irqs[bit], pin_changed, &processor->hooks[port][bit]);
        }
        processor->direction_hooks[port] = (struct hook){processor, port, 0, NO_PIN};
        avr_irq_register_notify(&irqs[IOPORT_IRQ_DIRECTION_ALL], direction_changed,
                                &processor->direction_hooks[port]);
    }
}

static void watch_uarts(struct processor *processor) {
    for (uint8_t uart = 0; uart < UARTS; uart++) {
        uint32_t flags = 0;
        avr_ioctl(processor->avr, AVR_IOCTL_UART_SET_FLAGS('0' + uart), &flags);
        processor->uart_hooks[uart] = (struct hook){processor, uart, 0, NO_PIN};
        avr_irq_register_notify(&processor->uarts[uart]->io.irq[UART_IRQ_OUTPUT], byte_sent,
                                &processor->uart_hooks[uart]);
    }
}

/* What Python calls */

struct processor *processor_open(const char *elf) {
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
    /* Up to the next timer or interrupt at once; simavr would look for them after each instruction. */
    avr->run_cycle_limit = UINT32_MAX;
    avr->sleep = do_not_sleep;
    watch_edges_only(avr);
    find_parts(processor);
    watch_ports(processor);
    watch_uarts(processor);
    avr->custom.data = processor;
    reset_of_chip = avr->reset;
    avr->reset = resetting;
    return processor;
}

void processor_close(struct processor *processor) {
    avr_terminate(processor->avr);
    free(processor->avr);
    free(processor->coming.items);
    free(processor->gone.items);
    free(processor);
}

uint64_t processor_cycle(const struct processor *processor) {
    return now(processor);
}

int processor_run(struct processor *processor, uint64_t until) {
    avr_t *const avr = processor->avr;
    await_inputs(processor);
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

/* `happenings` in any order; they arrive in the order of their cycles, equal ones as given. */
void processor_expect(struct processor *processor, const struct happening *happenings,
                      size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct happening *const item = add(&processor->coming);
        *item = happenings[i];
        item->order = (uint16_t)processor->sequence++;
        rise(&processor->coming, processor->coming.count - 1);
    }
}

size_t processor_gone(const struct processor *processor) {
    return processor->gone.count;
}

/* Hands over all that has gone out, and forgets it; `into` has room for `processor_gone`. */
void processor_take(struct processor *processor, struct happening *into) {
    memcpy(into, processor->gone.items, processor->gone.count * sizeof *into);
    processor->gone.count = 0;
}

/* Presses the reset button. */
void processor_reset(struct processor *processor) {
    avr_reset(processor->avr);
    avr_regbit_set(processor->avr, processor->avr->reset_flags.extrf);
    after_reset(processor);
}

void processor_eeprom_read(struct processor *processor, uint8_t *into, uint32_t size) {
    avr_eeprom_desc_t all = {.ee = into, .offset = 0, .size = size};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_GET, &all);
}

void processor_eeprom_write(struct processor *processor, uint8_t *from, uint32_t size) {
    avr_eeprom_desc_t all = {.ee = from, .offset = 0, .size = size};
    avr_ioctl(processor->avr, AVR_IOCTL_EEPROM_SET, &all);
}

/* A byte of the processor's memory: for a look at what a program keeps where no pin shows it. */
uint8_t processor_memory(const struct processor *processor, uint16_t at) {
    return processor->avr->data[at];
}

/* The address of the next instruction, for counting what a piece of the program takes. */
uint32_t processor_place(const struct processor *processor) {
    return processor->avr->pc;
}
