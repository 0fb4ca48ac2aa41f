#include "io_events.h"

#include <stdbool.h>
#include <stdlib.h>

struct io_event *add(struct list *list) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (list->items == NULL) {
            abort();
        }
    }
    return &list->items[list->count++];
}

static bool earlier(const struct io_event *one, const struct io_event *other) {
    if (one->cycle != other->cycle) {
        return one->cycle < other->cycle;
    }
    return (int16_t)(one->order - other->order) < 0;
}

static void swap(struct io_event *one, struct io_event *other) {
    const struct io_event kept = *one;
    *one = *other;
    *other = kept;
}

void rise(struct list *heap, size_t at) {
    while (at > 0 && earlier(&heap->items[at], &heap->items[(at - 1) / 2])) {
        swap(&heap->items[at], &heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sink(struct list *heap, size_t at) {
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap->count; child++) {
            if (earlier(&heap->items[child], &heap->items[first])) {
                first = child;
            }
        }
        if (first == at) {
            return;
        }
        swap(&heap->items[at], &heap->items[first]);
        at = first;
    }
}

struct io_event pop(struct list *heap) {
    const struct io_event top = heap->items[0];
    heap->items[0] = heap->items[--heap->count];
    sink(heap, 0);
    return top;
}
