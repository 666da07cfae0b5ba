// SPDX-License-Identifier: Apache-2.0
/**
 * Compression of answers. It takes time: a route whose answers are compressed runs in the pool
 * "cpu" unless somebody says otherwise, and on a loop only small answers are compressed.
 */
#include <string.h>
#include <zlib.h>

#include "core/service/filter_internal.h"
#include "core/service/request.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/http/accept.h"
#include "lib/http/status.h"

#define SIZE_MIN      1024U              // less is not worth the trouble
#define SIZE_LOOP_MAX ((size_t)16 << 10) // on a loop, which has others to serve
#define SIZE_MAX_MAX  ((size_t)3 << 20)  // what the request's memory holds besides the answer
#define GZIP_WINDOW   (15 + 16)          // the largest window, with gzip's head and end
#define LEVEL         4                  // faster than the default: an answer is read once
#define MEMORY_LEVEL  8

static voidpf allocate(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return fil_alloc_zero(count, size);
}

static void release(voidpf opaque, voidpf address)
{
    (void)opaque;
    fil_free(address);
}

static bool has_ending(struct fil_bytes text, const char *ending)
{
    size_t size = strlen(ending);
    return text.size >= size && memcmp(text.data + text.size - size, ending, size) == 0;
}

/** Whether content of this type gets smaller: pictures, films and archives are small already. */
static bool is_compressible(const char *type)
{
    static const char *const others[] = {"application/json", "application/javascript",
                                         "application/xml", "application/wasm", "image/svg+xml"};
    struct fil_bytes whole = fil_bytes_of(type == NULL ? "text/plain" : type);
    struct fil_bytes name = fil_bytes_trim(fil_bytes_make(whole.data, fil_bytes_find(whole, ';')));
    bool is_text = name.size > 5 && memcmp(name.data, "text/", 5) == 0;
    bool is_known = is_text || has_ending(name, "+json") || has_ending(name, "+xml");
    for (size_t i = 0; i < FIL_COUNT_OF(others); i++) {
        is_known |= fil_bytes_equal_text(name, others[i]);
    }
    return is_known;
}

static struct fil_request_header *find_reply_header(struct fil_request *request, const char *name)
{
    struct fil_request_header *header = request->first_header;
    while (header != NULL && !fil_bytes_equal_nocase(header->name, fil_bytes_of(name))) {
        header = header->next;
    }
    return header;
}

/** Whether another client might get this answer compressed. */
static bool is_eligible(struct fil_request *request, const struct fil_reply *reply)
{
    return reply->status >= 200 && reply->status < 300 &&
           reply->status != FIL_HTTP_STATUS_PARTIAL_CONTENT && request->stream == NULL &&
           request->content.size_bytes == 0 && reply->size >= SIZE_MIN &&
           reply->size <= SIZE_MAX_MAX && is_compressible(reply->type) &&
           find_reply_header(request, "Content-Encoding") == NULL;
}

static bool is_accepted(struct fil_request *request)
{
    const struct fil_http_header *header = fil_request_find_header(request, "Accept-Encoding");
    return header != NULL && fil_http_accepts_coding(header->value, "gzip");
}

/** Compresses into the room; 0 when that does not make it smaller. */
static size_t compress_into(void *room, size_t size, const struct fil_reply *reply)
{
    z_stream stream = {.zalloc = allocate, .zfree = release};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return 0;
    }
    // The library does not write to its input, but says so only in newer versions.
    memcpy(&stream.next_in, &reply->data, sizeof(stream.next_in));
    stream.avail_in = (uInt)reply->size;
    stream.next_out = room;
    stream.avail_out = (uInt)size;
    int result = deflate(&stream, Z_FINISH);
    size_t written = result == Z_STREAM_END ? size - stream.avail_out : 0;
    (void)deflateEnd(&stream); // says whether input was left, which is known
    return written;
}

/** The bytes are others now, so a strong tag would lie. */
static void weaken_tag(struct fil_request *request)
{
    struct fil_request_header *header = find_reply_header(request, "ETag");
    if (header == NULL || header->value.size == 0 || header->value.data[0] != '"') {
        return;
    }
    size_t size = header->value.size + 2;
    uint8_t *weak = fil_request_alloc(request, size);
    if (weak == NULL) {
        header->value = fil_bytes_of("W/\"\""); // matches nothing
        return;
    }
    memcpy(weak, "W/", 2);
    memcpy(weak + 2, header->value.data, header->value.size);
    header->value = fil_bytes_make(weak, size);
}

static struct fil_reply leave_gzip(void *opaque, struct fil_request *request, void *state,
                                   struct fil_reply reply)
{
    (void)opaque;
    (void)state;
    if (!is_eligible(request, &reply)) {
        return reply;
    }
    fil_request_add_header(request, "Vary", "Accept-Encoding");
    bool is_too_long = fil_role_is(&fil_role_io) && reply.size > SIZE_LOOP_MAX;
    if (is_too_long || request->method == FIL_HTTP_HEAD || !is_accepted(request)) {
        return reply;
    }
    void *room = fil_request_alloc(request, reply.size);
    size_t size = room == NULL ? 0 : compress_into(room, reply.size, &reply);
    if (size == 0 || fil_reply_header(request, "Content-Encoding", "gzip") != FIL_OK) {
        return reply;
    }
    weaken_tag(request);
    reply.data = room;
    reply.size = size;
    return reply;
}

const struct fil_filter fil_filter__gzip = {.name = "gzip", .leave = leave_gzip};
