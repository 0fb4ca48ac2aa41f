/* The queue of events, in order, until the host has acknowledged them.
 *
 * A bounded ring. The begin of a motion reserves a place for its end, so that no end is lost;
 * edges use only places that are not reserved. */
#ifndef WALLWRIGHT_EVENTS_H
#define WALLWRIGHT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* From the reflex, or under `port_lock`: */
bool events_have_room(void);              /* beyond all promises */
uint8_t *events_add(uint8_t type);        /* where its payload goes; null if nobody listens */
void events_promise(void);
void events_keep_promise(void);           /* right before the promised event is added, or not */

/* From the main loop: */
void events_begin(void);                  /* no session yet: nobody listens */
void events_open(uint8_t sequence);       /* a session begins; its first event bears this number */
void events_received(uint8_t sequence, uint32_t now);
void events_turn(uint8_t address, uint32_t now); /* sends and repeats as much as the line takes */

#endif
