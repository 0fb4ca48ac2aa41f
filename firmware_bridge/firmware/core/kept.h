/* What is kept without power, as last known. items.h writes it to the log and reads it. */
#ifndef WALLWRIGHT_KEPT_H
#define WALLWRIGHT_KEPT_H

#include "../port.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

#define PIN_BYTES ((PINS + 7u) / 8u)
#define KEPT_DOMES 3u /* as many as there are serial ports for their readers */

/* What is kept, as last known. `unsaved` marks what the log does not have yet. */
struct kept {
    uint32_t counts[PINS];
    uint8_t known[PIN_BYTES]; /* pins that have a count */
    uint8_t levels[PIN_BYTES];
    uint8_t unsaved[PIN_BYTES];
    uint8_t driven[PIN_BYTES]; /* outputs of the last table, and those that are safe when high */
    uint8_t high[PIN_BYTES];
    bool safe_levels_unsaved;
    struct {
        uint8_t channel; /* or WIRE_NONE */
        bool unsaved;
        uint32_t throws;
        uint16_t faces;
    } domes[KEPT_DOMES];
};
extern struct kept kept;

/* Takes over the state of the table in force: all counts before it goes, its safe levels when it has
 * come. */
void kept_take_counts(void);
void kept_take_safe_levels(void);

bool kept_has_new_safe_levels(void);
bool kept_is_unsaved(void); /* anything but orders has changed since it was saved */

/* The place of a dome, a new one if it has none; KEPT_DOMES if there is none left. */
uint8_t kept_dome_of(uint8_t channel);

void kept_forget(void); /* everything */
void kept_forget_orders(void);
bool kept_has_orders(void);

/* The stored state, where the channel has none yet. */
void kept_restore_sensor(struct sensor *sensor);
void kept_restore_dome(uint8_t channel, struct unit *dome);
bool kept_drives(uint8_t pin);  /* the last table drove this pin */
bool kept_is_high(uint8_t pin); /* its safe level */

#endif
