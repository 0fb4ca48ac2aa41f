/* Deadlines on a clock of microseconds that wraps every 71 minutes.
 *
 * Durations on the wire reach 49 days, so an order's limit is counted in laps of 1,000 seconds. The
 * times in a table (`max_on_ms`, the shaking of a dome) are at most LONGEST_MS. */
#ifndef WALLWRIGHT_CLOCK_H
#define WALLWRIGHT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct duration {
    uint32_t micros; /* less than a lap */
    uint16_t laps;
};

/* The end of a duration: `laps` more laps after the clock has reached `at`. */
struct deadline {
    uint32_t at;
    uint16_t laps;
};

#define LONGEST_MS UINT32_C(2000000)

struct duration duration_of(uint32_t ms);

static inline bool time_reached(uint32_t now, uint32_t at) {
    return (int32_t)(now - at) >= 0;
}

static inline struct deadline deadline_after(uint32_t now, const struct duration *duration) {
    return (struct deadline){.at = now + duration->micros, .laps = duration->laps};
}
/* A time that is reached once and then stays reached, although the clock wraps. Whoever uses it calls
 * `timeout_passed` more often than every 35 minutes. */
struct timeout {
    uint32_t at;
    bool passed;
};

static inline struct timeout timeout_after(uint32_t now, uint32_t micros) {
    return (struct timeout){.at = now + micros, .passed = false};
}

static inline bool timeout_passed(struct timeout *timeout, uint32_t now) {
    timeout->passed = timeout->passed || time_reached(now, timeout->at);
    return timeout->passed;
}

/* Whether the deadline has passed; the caller checks it more often than once a lap. */
bool deadline_passed(struct deadline *deadline, uint32_t now);

#endif
