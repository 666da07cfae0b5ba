// SPDX-License-Identifier: Apache-2.0
#include "core/stream/processor.h"

#include <stdarg.h>
#include <stdio.h>

int fil_processor_blame(struct fil_processor_context *context, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    // Cut when it is too long.
    (void)vsnprintf(context->reason, sizeof(context->reason), format, arguments);
    va_end(arguments);
    return error;
}

int fil_processor_blame_time(struct fil_processor_context *context, int64_t time)
{
    if (time == FIL_TIME_NONE) {
        return fil_processor_blame(context, FIL_E_INVALID,
                                   "a record without event time cannot be in a window");
    }
    return fil_processor_blame(context, FIL_E_INVALID,
                               "an event time of %lld is too near the end of the range for a "
                               "window: check the time field and its unit",
                               (long long)time);
}

void *fil_outbox_open(struct fil_outbox *outbox, uint32_t output, uint32_t size)
{
    struct fil_outlet *outlet = &outbox->outlets[output];
    uint32_t stride = outlet->edge->layout.stride;
    if (size > (stride != 0 ? stride : FIL_BATCH_RECORD_BYTES_MAX)) {
        outbox->error = FIL_E_LIMIT;
        return NULL;
    }
    if (outbox->quota == 0) {
        return NULL;
    }
    int error = fil_outlet_open(outlet, outbox->pools, size);
    if (error != FIL_OK) {
        outbox->error = error == FIL_E_FULL ? outbox->error : error;
        return NULL;
    }
    outbox->quota--;
    return fil_batch_room(outlet->fill, size);
}

bool fil_outbox_emit(struct fil_outbox *outbox, struct fil_bytes record, int64_t time,
                     uint64_t hash)
{
    uint32_t size = (uint32_t)record.size;
    // All rooms first: a record that has gone to one output cannot be called back.
    for (uint32_t i = 0; i < outbox->count; i++) {
        if (fil_outbox_reserve(outbox, i, size) == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < outbox->count; i++) {
        void *room = fil_batch_room(outbox->outlets[i].fill, size);
        fil_assert(room != NULL);
        memcpy(room, record.data, size);
        fil_outbox_commit(outbox, i, size, time, hash);
    }
    return true;
}

bool fil_outbox_can_pass(struct fil_outbox *outbox, uint32_t output, const struct fil_inbox *inbox)
{
    struct fil_batch *batch = inbox->batch;
    struct fil_outlet *outlet = &outbox->outlets[output];
    const struct fil_layout *layout = &outlet->edge->layout;
    bool is_whole = inbox->position == 0 && inbox->limit == batch->count;
    bool is_alike = batch->stride == layout->stride && layout->stride != 0 &&
                    (batch->times_at != 0) == layout->has_times &&
                    (batch->hashes_at != 0) == layout->has_hashes;
    // A batch that is nearly empty would go through the ring alone: copied, it gets company.
    bool is_worth_it = batch->count >= batch->capacity / 2;
    if (!is_whole || !is_alike || !is_worth_it || outbox->quota == 0 || !fil_batch_is_own(batch)) {
        return false;
    }
    int error = fil_outlet_make_way(outlet, outbox->pools);
    outbox->error = error == FIL_OK || error == FIL_E_FULL ? outbox->error : error;
    return error == FIL_OK;
}

bool fil_outbox_forward(struct fil_outbox *outbox, uint32_t output, struct fil_batch *batch)
{
    if (outbox->quota == 0) {
        return false;
    }
    int error = fil_outlet_forward(&outbox->outlets[output], outbox->pools, batch);
    if (error == FIL_OK) {
        outbox->quota--;
    } else if (error != FIL_E_FULL) {
        outbox->error = error;
    }
    return error == FIL_OK;
}

/** Room for a mark everywhere. */
static bool can_mark(struct fil_outbox *outbox)
{
    for (uint32_t i = 0; i < outbox->count; i++) {
        struct fil_outlet *outlet = &outbox->outlets[i];
        if (outlet->mark == NULL) {
            continue;
        }
        int error = fil_outlet_flush(outlet, outbox->pools);
        if (error != FIL_OK) {
            outbox->error = error == FIL_E_FULL ? outbox->error : error;
            return false;
        }
    }
    return true;
}

bool fil_outbox_mark(struct fil_outbox *outbox, enum fil_batch_kind kind, int64_t value)
{
    if (outbox->count == 0) {
        return true;
    }
    if (!can_mark(outbox)) {
        return false;
    }
    struct fil_batch *mark = fil_batch_new_mark(outbox->pools, kind, value);
    if (mark == NULL) {
        outbox->error = FIL_E_NOMEM;
        return false;
    }
    for (uint32_t i = 0; i < outbox->count; i++) {
        fil_batch_ref(mark);
        fil_outlet_set_mark(&outbox->outlets[i], mark);
    }
    fil_batch_unref(mark);
    int error = fil_outbox_flush(outbox);
    outbox->error = error == FIL_OK || error == FIL_E_FULL ? outbox->error : error;
    return true;
}

int fil_outbox_flush(struct fil_outbox *outbox)
{
    int result = FIL_OK;
    for (uint32_t i = 0; i < outbox->count; i++) {
        int error = fil_outlet_flush(&outbox->outlets[i], outbox->pools);
        if (error == FIL_E_NOMEM) {
            return error;
        }
        result = error == FIL_OK ? result : error;
    }
    return result;
}

bool fil_outbox_take_refusal(struct fil_outbox *outbox)
{
    bool is_refused = false;
    for (uint32_t i = 0; i < outbox->count; i++) {
        is_refused |= outbox->outlets[i].is_refused;
        outbox->outlets[i].is_refused = false;
    }
    return is_refused;
}
