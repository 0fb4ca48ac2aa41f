/* An axis's distance as a function of time: a trapezoid of speed to its target, or a stop ramp.
 * Distances are micrometres from the start, always forward; times are seconds. */
#ifndef WALLWRIGHT_TRAPEZOID_H
#define WALLWRIGHT_TRAPEZOID_H

struct profile {
    float distance;
    float speed;        /* between the ramps */
    float acceleration; /* of both ramps */
    float up, down;     /* how long they take */
    float seconds;
};

/* From rest to rest; a short way never reaches `speed`. */
void profile_trapezoid(struct profile *profile, float distance, float speed, float acceleration);

/* From its motion at that time to rest, as fast as it brakes; time begins anew. */
void profile_brake(struct profile *profile, float at);

float profile_distance(const struct profile *profile, float at);
float profile_velocity(const struct profile *profile, float at);

#endif
