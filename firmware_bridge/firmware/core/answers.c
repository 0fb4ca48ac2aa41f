#include "answers.h"

#include "../port.h"
#include "events.h"
#include "replies.h"

void answer_ok(void) {
    replies_send(WIRE_OK, 0);
}

void answer_refused(uint8_t reason, uint8_t channel) {
    uint8_t payload[WIRE_REFUSED_SIZE];
    wire_refused(payload, reason, channel);
    replies_send(WIRE_REFUSED, payload);
}

void answer_value(int32_t value) {
    uint8_t payload[WIRE_VALUE_SIZE];
    wire_value(payload, value);
    replies_send(WIRE_VALUE, payload);
}

struct channel *known_channel(uint8_t number) {
    if (number >= table_channels()) {
        answer_refused(REFUSAL_UNKNOWN_CHANNEL, number);
        return 0;
    }
    return &channels[number];
}

struct channel *channel_of_kind(uint8_t number, uint8_t kind) {
    struct channel *const channel = known_channel(number);
    if (channel && channel->kind != kind) {
        answer_refused(REFUSAL_WRONG_KIND, number);
        return 0;
    }
    return channel;
}

bool table_is_there(void) {
    if (!table_in_force()) {
        answer_refused(REFUSAL_NOT_CONFIGURED, WIRE_NONE);
        return false;
    }
    return true;
}

bool room_for_end(uint8_t channel) {
    port_lock();
    const bool room = events_have_room();
    port_unlock();
    if (!room) {
        answer_refused(REFUSAL_BUSY, channel);
    }
    return room;
}
