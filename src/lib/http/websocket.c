// SPDX-License-Identifier: Apache-2.0
#include "lib/http/websocket.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/base64.h"
#include "lib/base/sha1.h"
#include "lib/base/utf8.h"

#define KEY_SIZE       24U
#define FINAL_BIT      0x80U
#define RESERVED_BITS  0x70U
#define OP_BITS        0x0fU
#define MASK_BIT       0x80U
#define SHORT_MAX      125U
#define TWO_BYTES      126U
#define EIGHT_BYTES    127U
#define CODE_PROTOCOL  1002
#define CODE_NONE_SENT 1005
#define CODE_NO_TEXT   1007
#define CODE_TOO_LARGE 1009

void fil_websocket_decoder_init(struct fil_websocket_decoder *decoder, uint64_t message_size_max)
{
    *decoder = (struct fil_websocket_decoder){.message_size_max = message_size_max};
}

static int fail(struct fil_websocket_decoder *decoder, int code, const char *reason)
{
    decoder->code = code;
    decoder->reason = reason;
    return code == CODE_TOO_LARGE ? FIL_E_LIMIT : FIL_E_MALFORMED;
}

static bool is_control(enum fil_websocket_op op)
{
    return op >= FIL_WEBSOCKET_OP_CLOSE;
}

static uint64_t load(const uint8_t *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

/** How many bytes the length has besides the first. */
static size_t length_size(uint8_t first)
{
    if (first == TWO_BYTES) {
        return 2;
    }
    return first == EIGHT_BYTES ? 8 : 0;
}

static int check_first_bytes(struct fil_websocket_decoder *decoder, struct fil_bytes bytes)
{
    uint8_t op = bytes.data[0] & OP_BITS;
    if (bytes.data[0] & RESERVED_BITS) {
        return fail(decoder, CODE_PROTOCOL, "a frame has reserved bits");
    }
    if (op > FIL_WEBSOCKET_OP_PONG ||
        (op > FIL_WEBSOCKET_OP_BINARY && op < FIL_WEBSOCKET_OP_CLOSE)) {
        return fail(decoder, CODE_PROTOCOL, "a frame is of a reserved kind");
    }
    if (bytes.size > 1 && !(bytes.data[1] & MASK_BIT)) {
        return fail(decoder, CODE_PROTOCOL, "a frame has no mask");
    }
    return FIL_OK;
}

static int check_control(struct fil_websocket_decoder *decoder)
{
    if (!decoder->is_final) {
        return fail(decoder, CODE_PROTOCOL, "a control frame is cut");
    }
    if (decoder->left > FIL_WEBSOCKET_CONTROL_MAX) {
        return fail(decoder, CODE_PROTOCOL, "a control frame is larger than 125 bytes");
    }
    decoder->control_size = 0;
    return FIL_OK;
}

static int check_data(struct fil_websocket_decoder *decoder)
{
    bool is_more = decoder->op == FIL_WEBSOCKET_OP_MORE;
    bool is_within = decoder->message_op != FIL_WEBSOCKET_OP_MORE;
    if (is_more != is_within) {
        return fail(decoder, CODE_PROTOCOL,
                    is_more ? "a frame goes on with no message"
                            : "a message begins within another one");
    }
    if (decoder->left > decoder->message_size_max - decoder->message_size) {
        return fail(decoder, CODE_TOO_LARGE, "a message is larger than its limit");
    }
    if (!is_more) {
        decoder->message_op = decoder->op;
    }
    decoder->message_size += decoder->left;
    return FIL_OK;
}

static int check_length(struct fil_websocket_decoder *decoder, uint8_t first)
{
    bool is_short = (first == TWO_BYTES && decoder->left <= SHORT_MAX) ||
                    (first == EIGHT_BYTES && decoder->left <= UINT16_MAX);
    if (is_short) {
        return fail(decoder, CODE_PROTOCOL, "a length is longer than it needs to be");
    }
    if (decoder->left > INT64_MAX) {
        return fail(decoder, CODE_PROTOCOL, "a length has its highest bit set");
    }
    return FIL_OK;
}

/** The head of a frame, once it is whole. */
static int take_head(struct fil_websocket_decoder *decoder, struct fil_bytes bytes,
                     size_t *out_consumed)
{
    int error = check_first_bytes(decoder, bytes);
    if (error != FIL_OK) {
        return error;
    }
    size_t more = bytes.size < 2 ? 0 : length_size(bytes.data[1] & (uint8_t)~MASK_BIT);
    size_t size = 2 + more + sizeof(decoder->mask);
    if (bytes.size < size) {
        return FIL_E_AGAIN;
    }
    uint8_t first = bytes.data[1] & (uint8_t)~MASK_BIT;
    decoder->op = (enum fil_websocket_op)(bytes.data[0] & OP_BITS);
    decoder->is_final = (bytes.data[0] & FINAL_BIT) != 0;
    decoder->left = more == 0 ? first : load(bytes.data + 2, more);
    decoder->mask_at = 0;
    memcpy(decoder->mask, bytes.data + 2 + more, sizeof(decoder->mask));
    error = check_length(decoder, first);
    if (error == FIL_OK) {
        error = is_control(decoder->op) ? check_control(decoder) : check_data(decoder);
    }
    decoder->is_in_frame = error == FIL_OK;
    *out_consumed = size;
    return error;
}

void fil_websocket_unmask(const struct fil_websocket_decoder *decoder, uint8_t *data, size_t size,
                          uint64_t mask_at)
{
    uint8_t mask[8];
    for (size_t i = 0; i < sizeof(mask); i++) {
        mask[i] = decoder->mask[(mask_at + i) % sizeof(decoder->mask)];
    }
    uint64_t wide = 0;
    memcpy(&wide, mask, sizeof(wide));
    size_t at = 0;
    for (; size - at >= sizeof(wide); at += sizeof(wide)) {
        uint64_t word = 0;
        memcpy(&word, data + at, sizeof(word));
        word ^= wide;
        memcpy(data + at, &word, sizeof(word));
    }
    for (size_t i = 0; at < size; at++, i++) {
        data[at] ^= mask[i];
    }
}

bool fil_websocket_is_code(int code)
{
    bool is_of_the_protocol = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
    return is_of_the_protocol || (code >= 3000 && code <= 4999);
}

static int end_close(struct fil_websocket_decoder *decoder, struct fil_websocket_event *out_event)
{
    out_event->kind = FIL_WEBSOCKET_CLOSE;
    out_event->code = CODE_NONE_SENT;
    if (decoder->control_size == 0) {
        return FIL_OK;
    }
    int code = decoder->control_size < 2 ? 0 : (int)load(decoder->control, 2);
    if (!fil_websocket_is_code(code)) {
        return fail(decoder, CODE_PROTOCOL, "a close frame has no code that may be sent");
    }
    out_event->code = code;
    out_event->content = fil_bytes_make(decoder->control + 2, decoder->control_size - 2);
    if (!fil_utf8_is_valid(out_event->content)) {
        return fail(decoder, CODE_NO_TEXT, "the reason of a close frame is not UTF-8");
    }
    return FIL_OK;
}

static int end_control(struct fil_websocket_decoder *decoder, struct fil_websocket_event *out_event)
{
    decoder->is_in_frame = false;
    fil_websocket_unmask(decoder, decoder->control, decoder->control_size, 0);
    if (decoder->op == FIL_WEBSOCKET_OP_CLOSE) {
        return end_close(decoder, out_event);
    }
    out_event->kind =
        decoder->op == FIL_WEBSOCKET_OP_PING ? FIL_WEBSOCKET_PING : FIL_WEBSOCKET_PONG;
    out_event->content = fil_bytes_make(decoder->control, decoder->control_size);
    return FIL_OK;
}

/** Takes what there is of the frame's content; FIL_E_AGAIN when nothing is to be told yet. */
static int take_content(struct fil_websocket_decoder *decoder, struct fil_bytes bytes,
                        struct fil_websocket_event *out_event, size_t *out_consumed)
{
    size_t size = bytes.size < decoder->left ? bytes.size : (size_t)decoder->left;
    *out_consumed = size;
    decoder->left -= size;
    if (is_control(decoder->op)) {
        if (size > 0) {
            memcpy(decoder->control + decoder->control_size, bytes.data, size);
            decoder->control_size += (uint32_t)size;
        }
        return decoder->left == 0 ? end_control(decoder, out_event) : FIL_E_AGAIN;
    }
    if (size == 0) {
        return FIL_E_AGAIN;
    }
    *out_event = (struct fil_websocket_event){.kind = FIL_WEBSOCKET_CONTENT,
                                              .op = decoder->message_op,
                                              .content = fil_bytes_make(bytes.data, size),
                                              .mask_at = decoder->mask_at};
    decoder->mask_at += size;
    return FIL_OK;
}

/** The frame's content was all there: perhaps the message, too. FIL_E_AGAIN when it goes on. */
static int end_data(struct fil_websocket_decoder *decoder, struct fil_websocket_event *out_event)
{
    decoder->is_in_frame = false;
    if (!decoder->is_final) {
        return FIL_E_AGAIN;
    }
    *out_event =
        (struct fil_websocket_event){.kind = FIL_WEBSOCKET_MESSAGE, .op = decoder->message_op};
    decoder->message_op = FIL_WEBSOCKET_OP_MORE;
    decoder->message_size = 0;
    return FIL_OK;
}

/** One step: a head, some content, or the end of a frame. */
static int step(struct fil_websocket_decoder *decoder, struct fil_bytes rest,
                struct fil_websocket_event *out_event, size_t *out_consumed)
{
    *out_consumed = 0;
    if (!decoder->is_in_frame) {
        return rest.size == 0 ? FIL_E_AGAIN : take_head(decoder, rest, out_consumed);
    }
    if (decoder->left == 0 && !is_control(decoder->op)) {
        return end_data(decoder, out_event);
    }
    return take_content(decoder, rest, out_event, out_consumed);
}

int fil_websocket_decode(struct fil_websocket_decoder *decoder, struct fil_bytes bytes,
                         struct fil_websocket_event *out_event, size_t *out_consumed)
{
    size_t at = 0;
    *out_consumed = 0;
    if (decoder->code != 0) {
        return decoder->code == CODE_TOO_LARGE ? FIL_E_LIMIT : FIL_E_MALFORMED;
    }
    for (;;) {
        // Each turn takes bytes or ends a frame, so that this one ends with the bytes.
        bool was_in_frame = decoder->is_in_frame;
        size_t size = 0;
        struct fil_bytes rest =
            at == bytes.size ? fil_bytes_of("") : fil_bytes_make(bytes.data + at, bytes.size - at);
        int error = step(decoder, rest, out_event, &size);
        at += size;
        *out_consumed = at;
        bool is_event = error == FIL_OK && was_in_frame;
        bool is_stuck = error == FIL_E_AGAIN && size == 0 && decoder->is_in_frame == was_in_frame;
        if (is_event || is_stuck || (error != FIL_OK && error != FIL_E_AGAIN)) {
            return error;
        }
    }
}

size_t fil_websocket_encode_head(enum fil_websocket_op op, uint64_t size,
                                 uint8_t out_head[FIL_WEBSOCKET_OUT_HEAD_MAX])
{
    fil_assert(!is_control(op) || size <= FIL_WEBSOCKET_CONTROL_MAX);
    out_head[0] = (uint8_t)(FINAL_BIT | (unsigned)op);
    if (size <= SHORT_MAX) {
        out_head[1] = (uint8_t)size;
        return 2;
    }
    size_t more = size <= UINT16_MAX ? 2 : 8;
    out_head[1] = more == 2 ? TWO_BYTES : EIGHT_BYTES;
    for (size_t i = 0; i < more; i++) {
        out_head[2 + i] = (uint8_t)(size >> (8 * (more - 1 - i)));
    }
    return 2 + more;
}

static bool is_key(struct fil_bytes key)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (key.size != KEY_SIZE || memcmp(key.data + KEY_SIZE - 2, "==", 2) != 0) {
        return false;
    }
    for (size_t i = 0; i < KEY_SIZE - 2; i++) {
        if (memchr(letters, key.data[i], sizeof(letters) - 1) == NULL) {
            return false;
        }
    }
    return true;
}

int fil_websocket_accept_key(struct fil_bytes key, char out_accept[FIL_WEBSOCKET_ACCEPT_SIZE])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // of RFC 6455, section 1.3
    uint8_t text[KEY_SIZE + sizeof(guid) - 1];
    uint8_t digest[FIL_SHA1_SIZE];
    if (!is_key(key)) {
        return FIL_E_INVALID;
    }
    memcpy(text, key.data, KEY_SIZE);
    memcpy(text + KEY_SIZE, guid, sizeof(guid) - 1);
    fil_sha1(fil_bytes_make(text, sizeof(text)), digest);
    struct fil_writer writer;
    fil_writer_init(&writer, out_accept, FIL_WEBSOCKET_ACCEPT_SIZE);
    bool has_fit = fil_base64_encode(&writer, fil_bytes_make(digest, sizeof(digest)));
    fil_assert(has_fit);
    return FIL_OK;
}
