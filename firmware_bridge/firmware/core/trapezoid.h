/* An axis's distance as a function of time: a trapezoid of speed to its target, or a braking ramp.
 * Distances are micrometres from the start, always forward; times are seconds. */
#ifndef WALLWRIGHT_TRAPEZOID_H
#define WALLWRIGHT_TRAPEZOID_H

struct profile {
    float distance;
    float speed;        /* between the ramps */
    float acceleration; /* of both ramps */
    float up, down;     /* durations of the ramps */
    float seconds;
};

/* From rest to rest; on a short way the speed stays below `speed`. */
void profile_trapezoid(struct profile *profile, float distance, float speed, float acceleration);

/* Replaces the profile by a ramp to rest from its speed at that time; the time restarts at 0. */
void profile_brake(struct profile *profile, float at);

float profile_distance(const struct profile *profile, float at);
float profile_velocity(const struct profile *profile, float at);

#endif
