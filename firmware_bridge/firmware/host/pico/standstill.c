/* A board on which nothing moves, for tests of the storage alone. */
#include "../../rp2040/chip.h"

bool pins_all_safe(void) {
    return true;
}
