/* The queue of events, in order, until the host has acknowledged them.
 *
 * A bounded ring. The start of a motion reserves a place for its end, so that no end is lost;
 * edges use only places that are not reserved. */
#ifndef WALLWRIGHT_EVENTS_H
#define WALLWRIGHT_EVENTS_H

#include "frame.h"

#include <stdbool.h>
#include <stdint.h>

/* Called from the reflex, or under `port_lock`: */
bool events_have_room(void);       /* whether a place is free that is not reserved */
uint8_t *events_add(uint8_t type); /* returns the place of its payload; null without a session */
void events_reserve(void);
void events_free_reserved(void);   /* right before the event is added, or dropped */

/* Called from the main loop: */
void events_begin(void);            /* at the start: no session, so events are dropped */
void events_open(uint32_t counter); /* a session begins; its first event has this counter */
void events_close(void);            /* the session has ended */
void events_received(const struct frame *received, uint32_t now); /* an acknowledgement */
void events_turn(uint8_t address, uint32_t now); /* sends and repeats while the line has room */

#endif
