/* Limits that the maker of a table has fixed in the board, by `wallwright firmware provision`: no
 * session can change them. A board that was provisioned before there were limits has none. */
#ifndef WALLWRIGHT_LIMITS_H
#define WALLWRIGHT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#define LIMITED_PIN_BYTES 9u /* of every chip, one bit for each pin, the lowest first */

/* `limits.flags` */
enum {
    LIMITS_EXIST = 1,      /* the board has limits; without it, nothing else is valid */
    LIMITS_OF_PINS = 2,    /* `guarded` and `unlimited` are valid */
    NEEDS_CURTAIN = 4,     /* a table has the light curtain on CURTAIN_PIN... */
    CURTAIN_HIGH = 8,      /* ...which is active when high */
};

struct limits {
    uint8_t flags;
    uint16_t lease_ms; /* the longest lease */
    uint32_t on_ms;    /* the longest `max_on_ms`, and shaking of dice */
    uint8_t guarded[LIMITED_PIN_BYTES];   /* pins whose channel must be GUARDED */
    uint8_t unlimited[LIMITED_PIN_BYTES]; /* pins that can be on without a maximum on-time */
};
extern struct limits limits;

/* Reads them; returns false if they were written once and no copy is sound. Only to be called while
 * the storage is ready. */
bool limits_begin(void);

void limits_report(uint8_t *payload); /* the payload of `Limits`, the same until the next start */
bool limits_permit_lease(uint16_t ms);
uint8_t limits_refuse(const uint8_t *record); /* a record's reason as a `Refusal`, or 0 */

#endif
