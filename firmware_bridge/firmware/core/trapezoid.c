#include "trapezoid.h"

#include <math.h>
#include <stdbool.h>

void profile_trapezoid(struct profile *profile, float distance, float speed, float acceleration) {
    const float reached = sqrtf(distance * acceleration);
    const bool cruises = reached >= speed;
    const float peak = cruises ? speed : reached;
    const float ramp = peak / acceleration;
    const float cruise = cruises ? distance / speed - ramp : 0.0f;
    profile->distance = distance;
    profile->speed = peak;
    profile->acceleration = acceleration;
    profile->up = ramp;
    profile->down = ramp;
    profile->seconds = ramp + ramp + (cruise > 0.0f ? cruise : 0.0f);
}

void profile_brake(struct profile *profile, float at) {
    const float velocity = profile_velocity(profile, at);
    const float seconds = velocity / profile->acceleration;
    profile->distance = velocity * seconds / 2.0f;
    profile->speed = velocity;
    profile->up = 0.0f;
    profile->down = seconds;
    profile->seconds = seconds;
}

static float ramp_distance(const struct profile *profile, float seconds) {
    return profile->acceleration * seconds * seconds / 2.0f;
}

float profile_distance(const struct profile *profile, float at) {
    if (at >= profile->seconds) {
        return profile->distance;
    }
    const float left = profile->seconds - at;
    if (at < profile->up) {
        return ramp_distance(profile, at);
    }
    if (left < profile->down) {
        return profile->distance - ramp_distance(profile, left);
    }
    return profile->speed * (at - profile->up / 2.0f);
}

float profile_velocity(const struct profile *profile, float at) {
    if (at >= profile->seconds) {
        return 0.0f;
    }
    const float left = profile->seconds - at;
    if (at < profile->up) {
        return profile->acceleration * at;
    }
    return left < profile->down ? profile->acceleration * left : profile->speed;
}
