// SPDX-License-Identifier: Apache-2.0
#include "requests.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "protocol.h"

#define HALF_SHARE 50U
#define FIELDS_MAX 3U // of one request that have digits: key, score and member

static const char *const names[LOAD_COMMAND_COUNT] = {
    [LOAD_GET] = "get",     [LOAD_SET] = "set",     [LOAD_INCR] = "incr",   [LOAD_MGET] = "mget",
    [LOAD_MSET] = "mset",   [LOAD_MIXED] = "mixed", [LOAD_LPUSH] = "lpush", [LOAD_RPOP] = "rpop",
    [LOAD_QUEUE] = "queue", [LOAD_SADD] = "sadd",   [LOAD_HSET] = "hset",   [LOAD_ZADD] = "zadd",
};

bool load_command_is_mixed(enum load_command command)
{
    return command == LOAD_MIXED || command == LOAD_QUEUE;
}

bool load_command_parse(const char *name, enum load_command *out_command)
{
    for (enum load_command command = 0; command < LOAD_COMMAND_COUNT; command++) {
        if (names[command] != NULL && strcmp(names[command], name) == 0) {
            *out_command = command;
            return true;
        }
    }
    return false;
}

const char *load_command_name(enum load_command command)
{
    fil_assert(command < LOAD_COMMAND_COUNT && names[command] != NULL);
    return names[command];
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
    bool is_many = options->command == LOAD_MGET || options->command == LOAD_MSET;
    return is_many ? options->key_batch : 1;
}

const struct load_protocol *load_requests_protocol(const struct load_requests_options *options)
{
    return options->protocol == NULL ? &load_protocol_resp : options->protocol;
}

/** No request is larger. */
static uint64_t request_bytes_max(const struct load_requests_options *options)
{
    uint64_t overhead = load_requests_protocol(options)->overhead_max;
    uint64_t path = options->path == NULL ? 0 : strlen(options->path);
    uint64_t fields = (uint64_t)options->key_size * FIELDS_MAX;
    uint64_t pair = overhead + fields + options->value_size;
    return overhead + path + pair * load_requests_key_batch(options);
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
    requests->shapes[requests->shape_count] = requests->protocol->write(&writer, command, options);
    requests->shapes[requests->shape_count].expected.size = (uint32_t)writer.size;
    fil_assert(!writer.is_full);
    requests->shape_count++;
    return FIL_OK;
}

static int make_shapes(struct load_requests *requests, const struct load_requests_options *options)
{
    if (!load_command_is_mixed(options->command)) {
        return make_shape(requests, options->command, options);
    }
    bool is_queue = options->command == LOAD_QUEUE;
    int error = make_shape(requests, is_queue ? LOAD_RPOP : LOAD_GET, options);
    return error == FIL_OK ? make_shape(requests, is_queue ? LOAD_LPUSH : LOAD_SET, options)
                           : error;
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
        .protocol = load_requests_protocol(options),
        .read_share = options->read_share == 0 ? HALF_SHARE : options->read_share,
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
    if (requests->protocol->mend != NULL) {
        requests->protocol->mend(request, shape);
    }
}

static struct load_batch next_mixed(struct load_requests *requests, uint32_t count,
                                    struct load_expected *out_expected)
{
    uint8_t *here = requests->batch;
    for (uint32_t i = 0; i < count; i++) {
        bool is_read = fil_prng_below(&requests->keys.prng, 100) < requests->read_share;
        uint32_t which = is_read ? 0 : 1;
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
