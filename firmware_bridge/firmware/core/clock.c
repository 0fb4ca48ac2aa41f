#include "clock.h"

#define LAP_MS 1000000u
#define LAP_MICROS (LAP_MS * 1000u)

struct duration duration_of(uint32_t ms) {
    return (struct duration){
        .micros = ms % LAP_MS * 1000u,
        .laps = (uint16_t)(ms / LAP_MS),
    };
}

bool deadline_passed(struct deadline *deadline, uint32_t now) {
    if (!time_reached(now, deadline->at)) {
        return false;
    }
    if (deadline->laps == 0) {
        return true;
    }
    deadline->laps--;
    deadline->at += LAP_MICROS;
    return false;
}
