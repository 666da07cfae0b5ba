// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <inttypes.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/base/prng.h"

#define REQUEST_BYTES_MAX 192U
#define LONG_GROUP        1U

struct encoder {
    const struct lab_workload_options *options;
    struct fil_prng prng;
    struct fil_writer writer;
    uint8_t value[LAB_VALUE_BYTES];
};

static void encode_key(struct encoder *encoder, uint32_t number)
{
    (void)fil_writer_format(&encoder->writer, "$16\r\nkey:%012" PRIu32 "\r\n", number);
}

static struct load_expected encode_get(struct encoder *encoder, uint32_t key)
{
    (void)fil_writer_text(&encoder->writer, "*2\r\n$3\r\nGET\r\n");
    encode_key(encoder, key);
    return (struct load_expected){.kind = '$'};
}

static struct load_expected encode_set(struct encoder *encoder, uint32_t key)
{
    (void)fil_writer_text(&encoder->writer, "*3\r\n$3\r\nSET\r\n");
    encode_key(encoder, key);
    (void)fil_writer_format(&encoder->writer, "$%u\r\n", LAB_VALUE_BYTES);
    (void)fil_writer_bytes(&encoder->writer, fil_bytes_make(encoder->value, LAB_VALUE_BYTES));
    (void)fil_writer_text(&encoder->writer, "\r\n");
    return (struct load_expected){.kind = '+'};
}

static struct load_expected encode_long(struct encoder *encoder, uint32_t key)
{
    char microseconds[16];
    struct fil_writer digits;
    fil_writer_init(&digits, microseconds, sizeof(microseconds));
    (void)fil_writer_decimal_u64(&digits, encoder->options->long_us);
    (void)fil_writer_format(&encoder->writer, "*3\r\n$12\r\nFILBERT.BURN\r\n$%zu\r\n", digits.size);
    (void)fil_writer_bytes(&encoder->writer, fil_writer_written(&digits));
    (void)fil_writer_text(&encoder->writer, "\r\n");
    encode_key(encoder, key);
    return (struct load_expected){.kind = '+', .group = LONG_GROUP};
}

/** Which request of the block that begins at `first` is long. */
static uint32_t draw_long(struct encoder *encoder, uint32_t first)
{
    uint32_t interval = encoder->options->long_interval;
    return interval == 0 ? UINT32_MAX : first + (uint32_t)fil_prng_below(&encoder->prng, interval);
}

static struct load_expected encode_uniform(struct encoder *encoder, bool is_long)
{
    uint32_t key = (uint32_t)fil_prng_below(&encoder->prng, encoder->options->key_count);
    if (is_long) {
        return encode_long(encoder, key);
    }
    bool is_get = fil_prng_below(&encoder->prng, 2) == 0;
    return is_get ? encode_get(encoder, key) : encode_set(encoder, key);
}

static void encode_all(struct lab_workload *workload, struct encoder *encoder)
{
    const struct lab_workload_options *options = encoder->options;
    uint32_t long_at = UINT32_MAX;
    for (uint32_t i = 0; i < workload->count; i++) {
        if (options->long_interval != 0 && i % options->long_interval == 0) {
            long_at = draw_long(encoder, i);
        }
        workload->expected[i] = options->mix == LAB_MIX_FILL
                                    ? encode_set(encoder, i)
                                    : encode_uniform(encoder, i == long_at);
        workload->ends[i] = (uint32_t)encoder->writer.size;
    }
    fil_assert(!encoder->writer.is_full);
}

int lab_workload_init(struct lab_workload *workload, const struct lab_workload_options *options)
{
    fil_assert(options->key_count > 0);
    uint32_t count = options->mix == LAB_MIX_FILL ? options->key_count : options->request_count;
    fil_assert(count > 0 && count <= UINT32_MAX / REQUEST_BYTES_MAX);
    size_t capacity = (size_t)count * REQUEST_BYTES_MAX;
    *workload = (struct lab_workload){
        .bytes = fil_alloc(capacity),
        .ends = fil_alloc_zero(count, sizeof(uint32_t)),
        .expected = fil_alloc_zero(count, sizeof(struct load_expected)),
        .count = count,
    };
    if (workload->bytes == NULL || workload->ends == NULL || workload->expected == NULL) {
        lab_workload_fini(workload);
        return FIL_E_NOMEM;
    }
    struct encoder encoder = {.options = options};
    fil_prng_init(&encoder.prng, options->seed);
    fil_writer_init(&encoder.writer, workload->bytes, capacity);
    for (uint32_t i = 0; i < LAB_VALUE_BYTES; i++) {
        encoder.value[i] = (uint8_t)('a' + fil_prng_below(&encoder.prng, 26));
    }
    encode_all(workload, &encoder);
    return FIL_OK;
}

void lab_workload_fini(struct lab_workload *workload)
{
    fil_free(workload->bytes);
    fil_free(workload->ends);
    fil_free(workload->expected);
    *workload = (struct lab_workload){0};
}

struct fil_bytes lab_workload_slice(const struct lab_workload *workload, uint32_t first,
                                    uint32_t count)
{
    fil_assert(count > 0 && first + count <= workload->count);
    uint32_t begin = first == 0 ? 0 : workload->ends[first - 1];
    return fil_bytes_make(workload->bytes + begin, workload->ends[first + count - 1] - begin);
}

bool lab_workload_has_long(const struct lab_workload *workload, uint32_t first, uint32_t count)
{
    fil_assert(first + count <= workload->count);
    for (uint32_t i = first; i < first + count; i++) {
        if (workload->expected[i].group == LONG_GROUP) {
            return true;
        }
    }
    return false;
}

static void next(void *context, uint32_t limit, struct load_expected *out_expected,
                 struct load_batch *out_batch)
{
    struct lab_workload_cursor *cursor = context;
    const struct lab_workload *workload = cursor->workload;
    uint32_t first = cursor->next;
    uint32_t count = limit < workload->count - first ? limit : workload->count - first;
    memcpy(out_expected, workload->expected + first, count * sizeof(*out_expected));
    cursor->next = first + count == workload->count ? 0 : first + count;
    *out_batch =
        (struct load_batch){.bytes = lab_workload_slice(workload, first, count), .count = count};
}

struct load_source lab_workload_source(struct lab_workload_cursor *cursor)
{
    return (struct load_source){.next = next, .context = cursor};
}
