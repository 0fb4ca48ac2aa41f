#include "gate.h"

#include "../port.h"
#include "faults.h"
#include "state.h"

/* The lock keeps the reflex from latching a fault between the check and the opening. */
bool gate_opens(void) {
    port_lock();
    const bool opens = lease.holds && !faults_any() && port_gate_open();
    port_unlock();
    return opens;
}
