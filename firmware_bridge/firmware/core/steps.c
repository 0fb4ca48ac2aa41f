#include "steps.h"

#include "../port.h"

#define TICKS_A_SECOND 2e6f
#define SEGMENT_SECONDS ((float)SEGMENT_TICKS / TICKS_A_SECOND)
#define SUB_TICKS 256.0f
#define MOST_STEPS 250u
#define LONGEST_SPACING 65535.0f /* ticks; of a single step only, which has no other one after it */

void steps_begin(struct steps *steps, float steps_an_um, float phase) {
    *steps = (struct steps){.an_um = steps_an_um, .at = phase, .phase = phase};
}

static struct port_segment spread(const struct steps *steps, float until, float ticks) {
    const uint32_t whole = until > 0.0f ? (uint32_t)(until + 0.5f) : 0;
    struct port_segment segment = {0, 0, 0};
    if (whole <= steps->planned || until <= steps->at) {
        return segment;
    }
    const uint32_t count = whole - steps->planned;
    const float spacing = ticks / (until - steps->at);
    const float first = ((float)steps->planned + 0.5f - steps->at) * spacing;
    segment.steps = (uint8_t)(count < MOST_STEPS ? count : MOST_STEPS);
    segment.first = first > 0.0f ? (uint16_t)first : 0;
    segment.spacing = (uint32_t)((spacing < LONGEST_SPACING ? spacing : LONGEST_SPACING) * SUB_TICKS);
    return segment;
}

void steps_plan(struct steps *steps, uint8_t axis, const struct profile *profile) {
    if (steps->complete || !port_axis_room(axis)) {
        return;
    }
    const float begin = (float)steps->segment * SEGMENT_SECONDS;
    float end = begin + SEGMENT_SECONDS;
    if (end >= profile->seconds) {
        end = profile->seconds;
        steps->complete = true;
    }
    const float until = steps->phase + profile_distance(profile, end) * steps->an_um;
    const struct port_segment segment = spread(steps, until, (end - begin) * TICKS_A_SECOND);
    port_axis_put(axis, &segment);
    steps->planned += segment.steps;
    steps->at = until;
    steps->segment++;
}
