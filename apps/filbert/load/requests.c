// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"

#define PREFIX_BYTES 4U
#define FRAME_MAX    32U // "$", a number, line ends
#define VALUE_SEED   7U

struct command_info {
    const char *name; // as a flag
    const char *word; // as a request
    uint8_t reply_kind;
    bool has_value;
    bool has_many_keys;
    bool is_counter;
};

static const struct command_info commands[LOAD_COMMAND_COUNT] = {
    [LOAD_GET] = {.name = "get", .word = "GET", .reply_kind = '$'},
    [LOAD_SET] = {.name = "set", .word = "SET", .reply_kind = '+', .has_value = true},
    [LOAD_INCR] = {.name = "incr", .word = "INCR", .reply_kind = ':', .is_counter = true},
    [LOAD_MGET] = {.name = "mget", .word = "MGET", .reply_kind = '*', .has_many_keys = true},
    [LOAD_MSET] = {.name = "mset",
                   .word = "MSET",
                   .reply_kind = '+',
                   .has_value = true,
                   .has_many_keys = true},
    [LOAD_MIXED] = {.name = "mixed"},
    [LOAD_PREPARE] =
        {.name = NULL, .word = "SET", .reply_kind = '+', .has_value = true, .is_counter = true},
};

bool load_command_parse(const char *name, enum load_command *out_command)
{
    for (enum load_command command = 0; command < LOAD_COMMAND_COUNT; command++) {
        if (commands[command].name != NULL && strcmp(commands[command].name, name) == 0) {
            *out_command = command;
            return true;
        }
    }
    return false;
}

const char *load_command_name(enum load_command command)
{
    fil_assert(command < LOAD_COMMAND_COUNT && commands[command].name != NULL);
    return commands[command].name;
}

uint32_t load_requests_digits(uint64_t count)
{
    uint32_t digits = 1;
    for (uint64_t last = count - 1; last >= 10; last /= 10) {
        digits++;
    }
    return digits;
}

uint32_t load_requests_key_batch(const struct load_requests_options *options)
{
    return commands[options->command].has_many_keys ? options->key_batch : 1;
}

static void write_key(struct fil_writer *writer, const struct load_requests_options *options,
                      bool is_counter)
{
    uint32_t zeros = options->key_size;
    (void)fil_writer_format(writer, "$%u\r\n", options->key_size);
    if (options->key_size >= PREFIX_BYTES + load_requests_digits(options->key_count)) {
        (void)fil_writer_text(writer, is_counter ? "cnt:" : "key:");
        zeros -= PREFIX_BYTES;
    }
    (void)fil_writer_fill(writer, '0', zeros);
    (void)fil_writer_text(writer, "\r\n");
}

static void write_value(struct fil_writer *writer, uint32_t size, bool is_counter)
{
    if (is_counter) {
        (void)fil_writer_text(writer, "$1\r\n0\r\n");
        return;
    }
    struct fil_prng prng;
    fil_prng_init(&prng, VALUE_SEED);
    (void)fil_writer_format(writer, "$%u\r\n", size);
    for (uint32_t i = 0; i < size; i++) {
        (void)fil_writer_u8(writer, (uint8_t)('a' + fil_prng_below(&prng, 26)));
    }
    (void)fil_writer_text(writer, "\r\n");
}

/** Writes one request with all keys 0, and how to find them. */
static struct load_shape write_request(struct fil_writer *writer, enum load_command command,
                                       const struct load_requests_options *options)
{
    const struct command_info *info = &commands[command];
    uint32_t key_count = info->has_many_keys ? options->key_batch : 1;
    struct load_shape shape = {.key_count = key_count, .expected.kind = info->reply_kind};
    shape.expected.element_count = info->reply_kind == '*' ? key_count : 0;
    (void)fil_writer_format(writer, "*%u\r\n$%zu\r\n%s\r\n",
                            1 + key_count * (info->has_value ? 2U : 1U), strlen(info->word),
                            info->word);
    size_t head_end = writer->size;
    for (uint32_t i = 0; i < key_count; i++) {
        write_key(writer, options, info->is_counter);
        if (i == 0) {
            shape.first_end = writer->size - 2;
        }
        if (info->has_value) {
            write_value(writer, options->value_size, info->is_counter);
        }
    }
    shape.size = writer->size;
    shape.stride = (shape.size - head_end) / key_count;
    fil_assert(!writer->is_full);
    return shape;
}

/** No request is larger. */
static uint64_t request_bytes_max(const struct load_requests_options *options)
{
    uint64_t pair = FRAME_MAX + (uint64_t)options->key_size + FRAME_MAX + options->value_size;
    return 2 * FRAME_MAX + pair * load_requests_key_batch(options);
}

static int make_shape(struct load_requests *requests, enum load_command command,
                      const struct load_requests_options *options)
{
    size_t room = (size_t)request_bytes_max(options);
    uint8_t *model = fil_alloc(room);
    if (model == NULL) {
        return FIL_E_NOMEM;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, model, room);
    requests->models[requests->shape_count] = model;
    requests->shapes[requests->shape_count] = write_request(&writer, command, options);
    requests->shape_count++;
    return FIL_OK;
}

static int make_shapes(struct load_requests *requests, const struct load_requests_options *options)
{
    if (options->command != LOAD_MIXED) {
        return make_shape(requests, options->command, options);
    }
    int error = make_shape(requests, LOAD_GET, options);
    return error == FIL_OK ? make_shape(requests, LOAD_SET, options) : error;
}

static int make_batch(struct load_requests *requests)
{
    size_t size = requests->shapes[0].size;
    size_t other = requests->shape_count > 1 ? requests->shapes[1].size : 0;
    size_t largest = size > other ? size : other;
    requests->batch = fil_alloc(largest * requests->pipeline);
    if (requests->batch == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < requests->pipeline; i++) {
        memcpy(requests->batch + i * size, requests->models[0], size);
    }
    return FIL_OK;
}

int load_requests_init(struct load_requests *requests, const struct load_requests_options *options)
{
    fil_assert(options->key_batch > 0 && options->pipeline > 0);
    fil_assert(options->key_size >= load_requests_digits(options->key_count));
    *requests = (struct load_requests){
        .pipeline = options->pipeline,
        .digit_count = load_requests_digits(options->key_count),
    };
    if (request_bytes_max(options) > LOAD_REQUESTS_BYTES_MAX / options->pipeline) {
        return FIL_E_LIMIT;
    }
    load_keys_init(&requests->keys, options->distribution, options->key_count, options->seed);
    int error = make_shapes(requests, options);
    if (error == FIL_OK) {
        error = make_batch(requests);
    }
    if (error != FIL_OK) {
        load_requests_fini(requests);
    }
    return error;
}

void load_requests_fini(struct load_requests *requests)
{
    fil_free(requests->models[0]);
    fil_free(requests->models[1]);
    fil_free(requests->batch);
    requests->models[0] = NULL;
    requests->models[1] = NULL;
    requests->batch = NULL;
}

static void write_digits(uint8_t *end, uint64_t number, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        *(end - i) = (uint8_t)('0' + number % 10);
        number /= 10;
    }
}

static void draw_keys(struct load_requests *requests, uint8_t *request,
                      const struct load_shape *shape)
{
    uint8_t *end = request + shape->first_end;
    for (uint32_t i = 0; i < shape->key_count; i++) {
        write_digits(end, load_keys_next(&requests->keys), requests->digit_count);
        end += shape->stride;
    }
}

static struct load_batch next_mixed(struct load_requests *requests, uint32_t count,
                                    struct load_expected *out_expected)
{
    uint8_t *here = requests->batch;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t which = fil_prng_below(&requests->keys.prng, requests->shape_count);
        const struct load_shape *shape = &requests->shapes[which];
        memcpy(here, requests->models[which], shape->size);
        draw_keys(requests, here, shape);
        out_expected[i] = shape->expected;
        here += shape->size;
    }
    return (struct load_batch){
        .bytes = fil_bytes_make(requests->batch, (size_t)(here - requests->batch)), .count = count};
}

static void next(void *context, uint32_t limit, struct load_expected *out_expected,
                 struct load_batch *out_batch)
{
    struct load_requests *requests = context;
    uint32_t count = limit < requests->pipeline ? limit : requests->pipeline;
    if (requests->shape_count > 1) {
        *out_batch = next_mixed(requests, count, out_expected);
        return;
    }
    const struct load_shape *shape = &requests->shapes[0];
    for (uint32_t i = 0; i < count; i++) {
        draw_keys(requests, requests->batch + i * shape->size, shape);
        out_expected[i] = shape->expected;
    }
    *out_batch = (struct load_batch){.bytes = fil_bytes_make(requests->batch, count * shape->size),
                                     .count = count};
}

struct load_source load_requests_source(struct load_requests *requests)
{
    return (struct load_source){.next = next, .context = requests};
}
