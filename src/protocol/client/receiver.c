// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/receiver.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/client/frame.h"

#define FRAGMENT_ID_SIZE 8U

void fil_wire_receiver_init(struct fil_wire_receiver *receiver, struct fil_budget *budget)
{
    *receiver = (struct fil_wire_receiver){
        .frame_bytes_max = FIL_WIRE_STRANGER_BYTES_MAX,
        .message_bytes_max = FIL_WIRE_STRANGER_BYTES_MAX,
        .budget = budget,
    };
}

static void forget_assembly(struct fil_wire_receiver *receiver)
{
    if (receiver->budget != NULL) {
        fil_budget_return(receiver->budget, receiver->assembly_capacity);
    }
    fil_free(receiver->assembly);
    receiver->assembly = NULL;
    receiver->assembly_size = 0;
    receiver->assembly_capacity = 0;
    receiver->is_assembling = false;
    receiver->is_assembled = false;
}

void fil_wire_receiver_fini(struct fil_wire_receiver *receiver)
{
    forget_assembly(receiver);
}

void fil_wire_receiver_trust(struct fil_wire_receiver *receiver, size_t frame_bytes_max,
                             size_t message_bytes_max)
{
    fil_assert(frame_bytes_max >= FIL_WIRE_FRAME_HEADER + FIL_WIRE_REQUEST_SIZE);
    fil_assert(message_bytes_max >= frame_bytes_max);
    receiver->frame_bytes_max = frame_bytes_max;
    receiver->message_bytes_max = message_bytes_max;
    receiver->takes_fragments = true;
}

FIL_PRINTF(3, 4)
static int fail(struct fil_wire_receiver *receiver, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(receiver->problem, sizeof(receiver->problem), format, arguments);
    va_end(arguments);
    return error;
}

static int begin_fragment(struct fil_wire_receiver *receiver, const struct fil_wire_frame *frame)
{
    bool is_first = (frame->flags & FIL_WIRE_BEGIN_FRAGMENT) != 0;
    if (!receiver->takes_fragments) {
        return fail(receiver, FIL_E_MALFORMED, "a fragment, but only whole messages are taken");
    }
    if (frame->content.size != FRAGMENT_ID_SIZE || (frame->flags & FIL_WIRE_FINAL) != 0) {
        return fail(receiver, FIL_E_MALFORMED, "a fragment does not begin with its number");
    }
    uint64_t id = fil_load_u64_le(frame->content.data);
    if (is_first == receiver->is_assembling ||
        (receiver->is_assembling && id != receiver->fragment_id)) {
        return fail(receiver, FIL_E_MALFORMED, "fragment %" PRId64 " is out of turn", (int64_t)id);
    }
    receiver->fragment_id = id;
    receiver->is_fragment = true;
    receiver->is_last_fragment = (frame->flags & FIL_WIRE_END_FRAGMENT) != 0;
    return FIL_OK;
}

/** The first frame of a message or fragment; its content is there. */
static int begin_message(struct fil_wire_receiver *receiver, const struct fil_wire_frame *frame)
{
    if ((frame->flags & FIL_WIRE_UNFRAGMENTED) != FIL_WIRE_UNFRAGMENTED) {
        return begin_fragment(receiver, frame);
    }
    if (receiver->is_assembling) {
        return fail(receiver, FIL_E_MALFORMED, "a message between the fragments of another");
    }
    if (frame->content.size < FIL_WIRE_RESPONSE_SIZE || (frame->flags & FIL_WIRE_SPECIAL) != 0) {
        return fail(receiver, FIL_E_MALFORMED, "a message begins with a frame of %zu bytes",
                    frame->content.size + FIL_WIRE_FRAME_HEADER);
    }
    return FIL_OK;
}

/** Only a BEGIN frame may have content besides its flag; newer custom types could use that. */
static int check_special(struct fil_wire_receiver *receiver, const struct fil_wire_frame *frame)
{
    uint32_t special = frame->flags & FIL_WIRE_SPECIAL;
    if ((special & (special - 1)) != 0) {
        return fail(receiver, FIL_E_MALFORMED, "a frame is more than one of begin, end and null");
    }
    if (special != 0 && special != FIL_WIRE_BEGIN && frame->content.size > 0) {
        return fail(receiver, FIL_E_MALFORMED, "an end or null frame with content");
    }
    return FIL_OK;
}

/** Keeps count of the structures that are open. */
static int follow_structure(struct fil_wire_receiver *receiver, const struct fil_wire_frame *frame)
{
    bool begins = (frame->flags & FIL_WIRE_BEGIN) != 0;
    bool ends = (frame->flags & FIL_WIRE_END) != 0;
    int error = check_special(receiver, frame);
    if (error != FIL_OK) {
        return error;
    }
    if (begins && receiver->depth == FIL_WIRE_DEPTH_MAX) {
        return fail(receiver, FIL_E_LIMIT, "structures are nested deeper than %u",
                    FIL_WIRE_DEPTH_MAX);
    }
    if (ends && receiver->depth == 0) {
        return fail(receiver, FIL_E_MALFORMED, "a structure ends that has not begun");
    }
    receiver->depth = receiver->depth + begins - ends;
    return FIL_OK;
}

/** What can be said of a frame when only its header is there. */
static int check_length(struct fil_wire_receiver *receiver, uint32_t length)
{
    if (length < FIL_WIRE_FRAME_HEADER || length > FIL_WIRE_FRAME_MAX) {
        return fail(receiver, FIL_E_MALFORMED, "a frame of %" PRId32 " bytes, its header has %u",
                    (int32_t)length, FIL_WIRE_FRAME_HEADER);
    }
    if (length > receiver->frame_bytes_max) {
        return fail(receiver, FIL_E_LIMIT, "a frame of %" PRIu32 " bytes, at most %zu are taken",
                    length, receiver->frame_bytes_max);
    }
    size_t before = receiver->position + receiver->assembly_size;
    if (before > receiver->message_bytes_max || length > receiver->message_bytes_max - before) {
        return fail(receiver, FIL_E_LIMIT, "a message of more than %zu bytes",
                    receiver->message_bytes_max);
    }
    return FIL_OK;
}

static int check_frame(struct fil_wire_receiver *receiver, const struct fil_wire_frame *frame)
{
    bool is_first = receiver->position == 0;
    int error = is_first ? begin_message(receiver, frame) : follow_structure(receiver, frame);
    if (error != FIL_OK || (frame->flags & FIL_WIRE_FINAL) == 0) {
        return error;
    }
    bool is_message_end = !receiver->is_fragment || receiver->is_last_fragment;
    if (is_message_end && receiver->depth > 0) {
        return fail(receiver, FIL_E_MALFORMED, "a message ends within a structure");
    }
    receiver->is_final = true;
    return FIL_OK;
}

/** Looks at the frames not yet seen, up to the final one. */
static int scan_frames(struct fil_wire_receiver *receiver, struct fil_bytes bytes)
{
    while (!receiver->is_final) {
        size_t available = bytes.size < receiver->position ? 0 : bytes.size - receiver->position;
        if (available < FIL_WIRE_FRAME_HEADER) {
            return FIL_E_AGAIN;
        }
        const uint8_t *here = bytes.data + receiver->position;
        uint32_t length = fil_load_u32_le(here);
        int error = check_length(receiver, length);
        if (error != FIL_OK) {
            return error;
        }
        bool needs_content = receiver->position == 0;
        if (needs_content && available < length) {
            return FIL_E_AGAIN;
        }
        struct fil_wire_frame frame = {
            .flags = fil_load_u16_le(here + 4),
            .content = fil_bytes_make(here + FIL_WIRE_FRAME_HEADER, length - FIL_WIRE_FRAME_HEADER),
        };
        error = check_frame(receiver, &frame);
        if (error != FIL_OK) {
            return error;
        }
        receiver->position += length;
    }
    return bytes.size < receiver->position ? FIL_E_AGAIN : FIL_OK;
}

static int grow_assembly(struct fil_wire_receiver *receiver, size_t size)
{
    size_t wanted = receiver->assembly_size + size;
    if (wanted <= receiver->assembly_capacity) {
        return FIL_OK;
    }
    size_t capacity = wanted + wanted / 2;
    size_t more = capacity - receiver->assembly_capacity;
    if (receiver->budget != NULL && !fil_budget_draw(receiver->budget, more)) {
        return fail(receiver, FIL_E_NOMEM, "no memory for a fragmented message");
    }
    uint8_t *grown = fil_realloc(receiver->assembly, capacity);
    if (grown == NULL) {
        if (receiver->budget != NULL) {
            fil_budget_return(receiver->budget, more);
        }
        return fail(receiver, FIL_E_NOMEM, "no memory for a fragmented message");
    }
    receiver->assembly = grown;
    receiver->assembly_capacity = capacity;
    return FIL_OK;
}

/** Where the last frame of a fragment starts. */
static size_t last_frame(struct fil_bytes frames)
{
    size_t start = 0;
    for (size_t next = 0; next < frames.size; next += fil_load_u32_le(frames.data + next)) {
        start = next;
    }
    return start;
}

/** The initial frame stands in the first fragment, behind its number. */
static int check_assembly_start(struct fil_wire_receiver *receiver, struct fil_bytes frames)
{
    struct fil_wire_frame frame = {0};
    struct fil_wire_cursor cursor;
    fil_wire_cursor_init(&cursor, frames);
    if (!fil_wire_cursor_peek(&cursor, &frame) || frame.content.size < FIL_WIRE_RESPONSE_SIZE ||
        (frame.flags & FIL_WIRE_SPECIAL) != 0) {
        return fail(receiver, FIL_E_MALFORMED, "a fragmented message has no initial frame");
    }
    return FIL_OK;
}

/** Takes a whole fragment, without its number, to the message it is a part of. */
static int add_fragment(struct fil_wire_receiver *receiver, struct fil_bytes fragment)
{
    const size_t number_size = FIL_WIRE_FRAME_HEADER + FRAGMENT_ID_SIZE;
    struct fil_bytes frames =
        fil_bytes_make(fragment.data + number_size, fragment.size - number_size);
    int error = receiver->is_assembling ? FIL_OK : check_assembly_start(receiver, frames);
    if (error == FIL_OK) {
        error = grow_assembly(receiver, frames.size);
    }
    if (error != FIL_OK) {
        return error;
    }
    uint8_t *to = receiver->assembly + receiver->assembly_size;
    memcpy(to, frames.data, frames.size);
    receiver->assembly_size += frames.size;
    receiver->is_assembling = !receiver->is_last_fragment;
    if (receiver->is_assembling) {
        uint8_t *flags = to + last_frame(frames) + 4;
        fil_store_u16_le(flags, (uint16_t)(fil_load_u16_le(flags) & ~FIL_WIRE_FINAL));
        return FIL_E_AGAIN;
    }
    receiver->is_assembled = true;
    return FIL_OK;
}

static void start_over(struct fil_wire_receiver *receiver)
{
    receiver->position = 0;
    receiver->is_final = false;
    receiver->is_fragment = false;
    if (!receiver->is_assembling) {
        fil_assert(receiver->depth == 0);
    }
}

/** Takes the message or the fragment at the front; out_size tells how much of the bytes it was. */
static int take_front(struct fil_wire_receiver *receiver, struct fil_bytes bytes,
                      struct fil_bytes *out_message, size_t *out_size)
{
    int error = scan_frames(receiver, bytes);
    if (error != FIL_OK) {
        return error;
    }
    *out_message = fil_bytes_make(bytes.data, receiver->position);
    if (receiver->is_fragment) {
        error = add_fragment(receiver, *out_message);
        if (error != FIL_OK && error != FIL_E_AGAIN) {
            return error;
        }
        *out_message = fil_bytes_make(receiver->assembly, receiver->assembly_size);
    }
    *out_size = receiver->position;
    start_over(receiver);
    return error;
}

int fil_wire_receive(struct fil_wire_receiver *receiver, struct fil_bytes bytes,
                     struct fil_bytes *out_message, size_t *out_size)
{
    int error = FIL_E_AGAIN;
    size_t taken = 0;
    *out_size = 0;
    if (receiver->is_assembled) {
        forget_assembly(receiver);
    }
    do {
        struct fil_bytes rest = fil_bytes_make(bytes.data + *out_size, bytes.size - *out_size);
        taken = 0;
        error = take_front(receiver, rest, out_message, &taken);
        *out_size += taken;
    } while (error == FIL_E_AGAIN && taken > 0);
    fil_assert(*out_size <= bytes.size);
    return error;
}

struct fil_parcel fil_wire_receiver_take(struct fil_wire_receiver *receiver)
{
    fil_assert(receiver->is_assembled);
    struct fil_parcel parcel = {.block = receiver->assembly,
                                .size = receiver->assembly_capacity,
                                .budget = receiver->budget};
    receiver->assembly = NULL;
    receiver->assembly_size = 0;
    receiver->assembly_capacity = 0;
    receiver->is_assembled = false;
    return parcel;
}

size_t fil_wire_receiver_expected(const struct fil_wire_receiver *receiver)
{
    bool has_unseen = receiver->position > 0 && !receiver->is_final;
    return has_unseen ? receiver->position + FIL_WIRE_FRAME_HEADER : receiver->position;
}
