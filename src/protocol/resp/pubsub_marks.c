// SPDX-License-Identifier: Apache-2.0
/**
 * Which messages are still in a subscriber's output when its connection ends. Mostly the marks are
 * of one turn: what a reader keeps up with has been sent when the next message comes.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/pubsub_internal.h"

#define MARKS_FIRST 16U
#define MARKS_KEPT  256U // when there are none

void fil_resp_marks__fini(struct fil_resp_marks *marks)
{
    fil_free(marks->ends);
    *marks = (struct fil_resp_marks){0};
}

/** Moves the marks to the beginning. */
static void close_up(struct fil_resp_marks *marks)
{
    memmove(marks->ends, marks->ends + marks->first, marks->count * sizeof(*marks->ends));
    marks->first = 0;
}

bool fil_resp_marks__reserve(struct fil_resp_marks *marks)
{
    if (marks->first + marks->count < marks->capacity) {
        return true;
    }
    // Half of the place at least is free after it: each mark is moved a bounded number of times.
    if (marks->first > marks->capacity / 2) {
        close_up(marks);
        return true;
    }
    uint32_t capacity = marks->capacity == 0 ? MARKS_FIRST : marks->capacity * 2;
    uint64_t *ends = fil_realloc(marks->ends, capacity * sizeof(*ends));
    if (ends == NULL) {
        return false;
    }
    marks->ends = ends;
    marks->capacity = capacity;
    return true;
}

void fil_resp_marks__add(struct fil_resp_marks *marks, uint64_t end)
{
    fil_assert(marks->first + marks->count < marks->capacity);
    marks->ends[marks->first + marks->count] = end;
    marks->count++;
}

uint32_t fil_resp_marks__pass(struct fil_resp_marks *marks, uint64_t sent_bytes)
{
    while (marks->count > 0 && marks->ends[marks->first] <= sent_bytes) {
        marks->first++;
        marks->count--;
    }
    if (marks->count == 0) {
        marks->first = 0;
        if (marks->capacity > MARKS_KEPT) {
            fil_resp_marks__fini(marks);
        }
    }
    return marks->count;
}
