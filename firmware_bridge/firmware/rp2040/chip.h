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
void link_drain(void); /* waits until all bytes are on the wire */

/* analog.c, reset.c, storage.c, start.c */
void analog_start(void);
void analog_leave(uint8_t pin);
void reset_start(void);
void storage_start(void);
void storage_turn(void);
void storage_flush(void);
void run(void) __attribute__((noreturn));

#endif
