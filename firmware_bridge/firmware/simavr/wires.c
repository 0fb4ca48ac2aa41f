#include "wires.h"

#include "corrections.h"

#include "avr_adc.h"

/* Outputs */

uint64_t now(const struct processor *processor) {
    return processor->earlier_cycles + processor->avr->cycle;
}

void record(struct processor *processor, enum kind kind, uint8_t index, uint32_t value) {
    *add(&processor->outputs) = (struct io_event){
        .cycle = now(processor), .kind = kind, .index = index, .value = value};
}

static void record_level(const struct hook *hook, uint8_t bit, uint8_t pin, uint8_t level) {
    uint8_t *const recorded = &hook->processor->levels[hook->port][bit];
    if (*recorded != level && pin != NO_PIN) {
        *recorded = level;
        record(hook->processor, PIN_LEVEL, pin, level);
    }
}

static void pin_changed(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    const avr_t *const avr = hook->processor->avr;
    if (avr->data[hook->processor->ports[hook->port]->r_ddr] >> hook->bit & 1) {
        record_level(hook, hook->bit, hook->pin, value & 1);
    }
}

static void direction_changed(avr_irq_t *irq, uint32_t outputs, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    const struct processor *const processor = hook->processor;
    const uint8_t high = processor->avr->data[processor->ports[hook->port]->r_port];
    for (uint8_t bit = 0; bit < 8; bit++) {
        const uint8_t level = outputs >> bit & 1 ? high >> bit & 1 : RELEASED;
        record_level(hook, bit, processor->hooks[hook->port][bit].pin, level);
    }
}

static void byte_sent(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    const struct hook *const hook = param;
    record(hook->processor, UART_BYTE, hook->port, value & 0xFF);
}

void watch_ports(struct processor *processor) {
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

void watch_uarts(struct processor *processor) {
    for (uint8_t uart = 0; uart < UARTS; uart++) {
        uint32_t flags = 0;
        avr_ioctl(processor->avr, AVR_IOCTL_UART_SET_FLAGS('0' + uart), &flags);
        processor->uart_hooks[uart] = (struct hook){processor, uart, 0, NO_PIN};
        avr_irq_register_notify(&processor->uarts[uart]->io.irq[UART_IRQ_OUTPUT], byte_sent,
                                &processor->uart_hooks[uart]);
    }
}

/* Inputs */

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
    /* simavr raises its pull-ups at every write to the port; this call sets the stronger levels. */
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL((char)('A' + port)), driven);
    if (!(avr->data[processor->ports[port]->r_ddr] >> bit & 1)) {
        avr_raise_irq(&processor->ports[port]->io.irq[bit], level & 1);
    }
}

static void apply_input(struct processor *processor, const struct io_event *input) {
    switch (input->kind) {
    case UART_BYTE:
        true_rate(processor->avr, processor->uarts[input->index]);
        avr_raise_irq(&processor->uarts[input->index]->io.irq[UART_IRQ_INPUT], input->value);
        break;
    case PIN_LEVEL:
        drive(processor, input->index, input->value);
        break;
    case ANALOG_MV:
        processor->analog_mv[input->index] = input->value;
        if (input->index < SIMULATED_INPUTS) {
            avr_raise_irq(&processor->analog[input->index], input->value);
        }
        break;
    case SUPPLY_MV:
        processor->avr->vcc = processor->avr->avcc = processor->avr->aref = input->value;
        break;
    default:
        break;
    }
}

static avr_cycle_count_t inputs_due(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr;
    (void)when;
    struct processor *const processor = param;
    struct list *const inputs = &processor->inputs;
    while (inputs->count > 0 && inputs->items[0].cycle <= now(processor)) {
        const struct io_event input = pop(inputs);
        apply_input(processor, &input);
    }
    return inputs->count > 0 ? inputs->items[0].cycle - processor->earlier_cycles : 0;
}

void schedule_inputs(struct processor *processor) {
    avr_t *const avr = processor->avr;
    avr_cycle_timer_cancel(avr, inputs_due, processor);
    if (processor->inputs.count > 0) {
        const uint64_t due = processor->inputs.items[0].cycle;
        const uint64_t at = now(processor);
        avr_cycle_timer_register(avr, due > at ? due - at : 0, inputs_due, processor);
    }
}

void reapply_inputs(struct processor *processor) {
    for (uint8_t pin = 0; pin < PINS; pin++) {
        const uint8_t port = port_of(pin), bit = bit_of(pin);
        record_level(&processor->hooks[port][bit], bit, pin, RELEASED);
        /* A reset clears the pin's register, so levels from before the reset are raised again. */
        processor->ports[port]->io.irq[bit].flags |= IRQ_FLAG_INIT;
        if (processor->driven[port].mask >> bit & 1) {
            drive(processor, pin, processor->driven[port].value >> bit & 1);
        }
    }
    schedule_inputs(processor);
}
