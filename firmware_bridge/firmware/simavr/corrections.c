#include "corrections.h"

#include "avr_adc.h"
#include "avr_extint.h"
#include "avr_watchdog.h"

#define EXTERNAL_INTERRUPTS 8

void true_rate(avr_t *avr, avr_uart_t *uart) {
    const uint16_t divisor = (uint16_t)(avr_regbit_get(avr, uart->ubrrl) |
                                        avr_regbit_get(avr, uart->ubrrh) << 8);
    const unsigned sampling = avr_regbit_get(avr, uart->u2x) ? 8 : 16;
    uart->cycles_per_byte = (divisor + 1u) * sampling * 10u;
}

/* simavr measures the first eight analogue inputs; this function supplies the others when they are
 * read. */
enum { ADCL = 0x78, ADCH = 0x79, ADCSRB = 0x7B, MUX5 = 3, ADMUX = 0x7C };

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

void correct_analog(struct processor *processor) {
    avr_t *const avr = processor->avr;
    processor->analog_param = avr->io[AVR_DATA_TO_IO(ADCL)].r.param;
    for (avr_io_addr_t at = ADCL; at <= ADCH; at++) {
        processor->read_analog[at - ADCL] = avr->io[AVR_DATA_TO_IO(at)].r.c;
        avr->io[AVR_DATA_TO_IO(at)].r.c = analog_read;
        avr->io[AVR_DATA_TO_IO(at)].r.param = processor;
    }
}

/* simavr would raise the interrupt of an input at low level in every cycle, even if it is disabled;
 * the firmware uses edges only. */
void watch_edges_only(avr_t *avr) {
    for (uint8_t input = 0; input < EXTERNAL_INTERRUPTS; input++) {
        avr_extint_set_strict_lvl_trig(avr, input, 0);
    }
}

static void clear_if_written(avr_t *avr, avr_int_vector_t *vector, uint8_t written) {
    if (vector->vector != 0 && written >> vector->raised.bit & 1) {
        avr_clear_interrupt(avr, vector);
    }
}

/* On the chip, writing a one clears that flag only; simavr would clear pending flags with it. */
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

/* On the chip, an interrupt whose flag rose while it was disabled occurs once it is enabled; simavr
 * drops it. */
static void timer_enables_written(avr_t *avr, avr_io_addr_t at, uint8_t written, void *param) {
    avr_timer_t *const timer = param;
    avr_core_watch_write(avr, at, written);
    raise_if_due(avr, &timer->overflow);
    raise_if_due(avr, &timer->icr);
    for (int unit = 0; unit < AVR_TIMER_COMP_COUNT; unit++) {
        raise_if_due(avr, &timer->comp[unit].interrupt);
    }
}

void correct_timer(avr_t *avr, avr_timer_t *timer) {
    const avr_io_addr_t flags = AVR_DATA_TO_IO(timer->overflow.raised.reg);
    avr->io[flags].w.c = timer_flags_written;
    avr->io[flags].w.param = timer;
    const avr_io_addr_t enables = AVR_DATA_TO_IO(timer->overflow.enable.reg);
    avr->io[enables].w.c = timer_enables_written;
    avr->io[enables].w.param = timer;
}

/* While the interrupt is enabled, simavr raises it at each time-out and never resets. */
#define BEFORE_TIME_OUT 16u /* cycles */

static avr_cycle_count_t watchdog_not_served(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)when;
    const avr_watchdog_t *const watchdog = param;
    if (watchdog->watchdog.pending) {
        avr_regbit_clear(avr, watchdog->watchdog.enable);
    }
    return 0;
}

static void watchdog_raised(avr_irq_t *irq, uint32_t pending, void *param) {
    (void)irq;
    avr_watchdog_t *const watchdog = param;
    avr_t *const avr = watchdog->io.avr;
    avr_cycle_timer_cancel(avr, watchdog_not_served, watchdog);
    if (pending) {
        avr_cycle_timer_register(avr, watchdog->cycle_count - BEFORE_TIME_OUT, watchdog_not_served,
                                 watchdog);
    }
}

void correct_watchdog(avr_io_t *io) {
    avr_watchdog_t *const watchdog = (avr_watchdog_t *)io;
    avr_irq_register_notify(&watchdog->watchdog.irq[AVR_INT_IRQ_PENDING], watchdog_raised, watchdog);
}

static uint8_t port_read(avr_t *avr, avr_io_addr_t at, void *param) {
    struct hook *const hook = param;
    struct processor *const processor = hook->processor;
    const avr_ioport_external_t *const held = &processor->held[hook->port];
    const uint8_t levels =
        processor->read_port[hook->port](avr, at, processor->read_port_param[hook->port]);
    return (levels & (uint8_t)~held->mask) | (held->value & held->mask);
}

void correct_ports(struct processor *processor) {
    avr_t *const avr = processor->avr;
    for (uint8_t port = 0; port < PORTS; port++) {
        if (processor->ports[port] == NULL) {
            continue;
        }
        const avr_io_addr_t io = AVR_DATA_TO_IO(processor->ports[port]->r_pin);
        processor->read_port[port] = avr->io[io].r.c;
        processor->read_port_param[port] = avr->io[io].r.param;
        processor->direction_hooks[port] = (struct hook){processor, port, 0, NO_PIN};
        avr->io[io].r.c = port_read;
        avr->io[io].r.param = &processor->direction_hooks[port];
    }
}
