/* Internal interface between the files of the port for the RP2040. */
#ifndef WALLWRIGHT_RP2040_CHIP_H
#define WALLWRIGHT_RP2040_CHIP_H

#include <stdbool.h>
#include <stdint.h>

/* Priorities of the interrupts. Steps are never late by another interrupt, and delay the others by
 * a microsecond; edges wait for nothing else. The reflex's processing is the lowest, so a `port_lock`
 * that disables it leaves the others running. */
enum { PRIORITY_STEPS, PRIORITY_EDGES, PRIORITY_BYTES, PRIORITY_REFLEX };

/* pins.c, edges.c */
void pins_start(void);
uint32_t pins_in(void);
bool pins_all_safe(void); /* no output is away from its safe level */
bool pins_may_step(void);   /* the gate is not halted */
bool pins_may_change(void); /* the gate is not shut */

/* Sets an axis's direction pin, if the gate lets it; from now on `port_gate_shut` leaves both pins of
 * the axis as they are. Interrupts are masked. */
bool pins_set_direction(uint8_t step, uint8_t direction, bool up, bool braking);
void edges_sense(uint8_t pin);  /* reports the changes of the pin from now on */
void edges_ignore(uint8_t pin);
void edges_interrupt(void);
/* Whether the emergency input is open, or has opened and the core does not know it yet; if so, the
 * gate is halted, and the reflex tells the core. Interrupts are masked. */
bool edges_emergency(void);

/* tick.c: the reflex's processing, and the end of the processor's sleep */
void tick_start(void);
void tick_interrupt(void);
void reflex_interrupt(void);
void reflex_raise(void);
void tick_wake(void);
void tick_take_wake(void); /* forgets the wakes until now */
bool tick_is_woken(void);
bool tick_has_run(void); /* since the last call */

/* edges.c, called by `reflex_interrupt` */
void edges_report(void);

/* steps.c */
void steps_start(void);
void steps_interrupt(void);
void steps_lower_interrupt(void);

/* uarts.c */
void uarts_start(void);
void link_interrupt(void);
void module_interrupt(void);
void uart_drain(void); /* waits until all bytes are on the wire */
bool uart_has_run(void); /* a run of bytes up to a zero waits */
int16_t uart_get(void);
uint8_t uart_room(void);
void uart_put(uint8_t byte);

/* usb.c: the other way of the link. Nothing of it runs in an interrupt. */
void usb_start(void);
void usb_turn(void);  /* executes what the host has done meanwhile; short */
void usb_drain(void); /* waits until the host has taken all bytes, but for 50 ms at most; then detaches */
void usb_hear(bool wanted); /* whether the host's bytes are taken; otherwise it has to wait */
bool usb_has_run(void);
int16_t usb_get(void);
uint8_t usb_room(void);
void usb_put(uint8_t byte);

/* usb_control.c: the requests of the control endpoint. */
struct usb_setup {
    uint8_t type, request;
    uint16_t value, index, length;
};
/* How a request is answered: with bytes (if the direction is IN), or with an acknowledgement after
 * `length` bytes have been received. */
enum usb_answer { USB_REFUSED, USB_ACKNOWLEDGED, USB_SENDS };
void usb_control_start(void); /* reads the serial number; before `usb_start` */
void usb_control_reset(void); /* the bus was reset */
/* For USB_SENDS it sets `bytes` and `size`. */
enum usb_answer usb_control(const struct usb_setup *setup, const uint8_t **bytes, uint16_t *size);
void usb_control_received(const struct usb_setup *setup, const uint8_t *bytes, uint16_t size);
bool usb_is_configured(void);
bool usb_is_open(void); /* a program of the host has the port open */
/* usb.c, for these requests: a program opens or closes the port; the endpoints begin anew. */
void usb_opened(void);
void usb_restart_endpoints(bool in, bool out);

/* links.c */
void link_drain(void);

/* selftest.c */
struct program_crc {
    uint16_t before, all; /* of what comes before the program, and of all */
    bool is_sound;
};
struct program_crc selftest_read_program(void); /* while the flash is readable as memory */
void selftest_start(const struct program_crc *read);
void selftest_start_clocks(void);
void selftest_compare_clocks(void); /* the interrupt of SysTick */

/* analog.c, reset.c, storage.c, start.c */
void analog_start(void);
void analog_leave(uint8_t pin);
void reset_start(void);
void storage_start(void);
void storage_turn(void);
void storage_flush(void);
void run(void) __attribute__((noreturn));

#endif
