// SPDX-License-Identifier: Apache-2.0
/**
 * Any bytes as frames: messages within their limit, control frames within theirs, or a code to
 * close with; never a crash, and the same whether the bytes come at once or one by one.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/http/websocket.h"

#define LIMIT 4096U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What came of it. */
struct outcome {
    uint64_t digest;
    int code;
};

static void add(struct outcome *outcome, uint64_t value)
{
    outcome->digest = (outcome->digest ^ value) * UINT64_C(1099511628211);
}

static void take(struct outcome *outcome, struct fil_websocket_decoder *decoder,
                 const struct fil_websocket_event *event)
{
    static uint8_t room[LIMIT];
    bool is_content = event->kind == FIL_WEBSOCKET_CONTENT;
    fil_assert(event->content.size <= (is_content ? LIMIT : FIL_WEBSOCKET_CONTROL_MAX));
    if (event->content.size > 0) {
        memcpy(room, event->content.data, event->content.size);
    }
    if (is_content) {
        fil_websocket_unmask(decoder, room, event->content.size, event->mask_at);
    } else {
        add(outcome, (uint64_t)event->kind + 1000);
    }
    for (size_t i = 0; i < event->content.size; i++) {
        add(outcome, room[i]);
    }
}

static struct outcome decode(const uint8_t *data, size_t size, size_t piece)
{
    struct fil_websocket_decoder decoder;
    struct outcome outcome = {.digest = UINT64_C(14695981039346656037)};
    fil_websocket_decoder_init(&decoder, LIMIT);
    size_t done = 0;
    int error = FIL_E_AGAIN;
    for (size_t given = 0; given < size && error == FIL_E_AGAIN;) {
        given = size - given < piece ? size : given + piece;
        do {
            struct fil_websocket_event event = {0};
            size_t consumed = 0;
            error = fil_websocket_decode(&decoder, fil_bytes_make(data + done, given - done),
                                         &event, &consumed);
            fil_assert(consumed <= given - done);
            done += consumed;
            if (error == FIL_OK) {
                take(&outcome, &decoder, &event);
            }
        } while (error == FIL_OK);
        fil_assert(decoder.message_size <= LIMIT);
    }
    fil_assert((error == FIL_E_AGAIN || size == 0) == (decoder.code == 0));
    outcome.code = decoder.code;
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole = decode(data, size, size);
    struct outcome bytes = decode(data, size, 1);
    fil_assert(whole.code == bytes.code);
    fil_assert(whole.digest == bytes.digest);
    return 0;
}
