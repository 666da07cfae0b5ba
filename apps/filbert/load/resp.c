// SPDX-License-Identifier: Apache-2.0
/** Redis's protocol. */
#include <string.h>

#include "lib/base/assert.h"
#include "protocol.h"

struct command_info {
    const char *word; // as a request; NULL: there is none
    uint8_t reply_kind;
    bool has_value;
    bool has_many_keys;
    bool is_counter;
};

static const struct command_info commands[LOAD_COMMAND_COUNT] = {
    [LOAD_GET] = {.word = "GET", .reply_kind = '$'},
    [LOAD_SET] = {.word = "SET", .reply_kind = '+', .has_value = true},
    [LOAD_INCR] = {.word = "INCR", .reply_kind = ':', .is_counter = true},
    [LOAD_MGET] = {.word = "MGET", .reply_kind = '*', .has_many_keys = true},
    [LOAD_MSET] = {.word = "MSET", .reply_kind = '+', .has_value = true, .has_many_keys = true},
    [LOAD_PREPARE] = {.word = "SET", .reply_kind = '+', .has_value = true, .is_counter = true},
};

static bool has(enum load_command command)
{
    return command == LOAD_MIXED || commands[command].word != NULL;
}

static void write_value(struct fil_writer *writer, uint32_t size, bool is_counter)
{
    if (is_counter) {
        (void)fil_writer_text(writer, "$1\r\n0\r\n");
        return;
    }
    (void)fil_writer_format(writer, "$%u\r\n", size);
    load_protocol_write_value(writer, size);
    (void)fil_writer_text(writer, "\r\n");
}

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
    fil_assert(key_count > 0);
    for (uint32_t i = 0; i < key_count; i++) {
        (void)fil_writer_format(writer, "$%u\r\n", options->key_size);
        load_protocol_write_key(writer, options, info->is_counter);
        (void)fil_writer_text(writer, "\r\n");
        if (i == 0) {
            shape.first_end = writer->size - 2;
        }
        if (info->has_value) {
            write_value(writer, options->value_size, info->is_counter);
        }
    }
    shape.size = writer->size;
    shape.stride = (shape.size - head_end) / key_count;
    return shape;
}

static void answer(struct fil_writer *writer, enum load_command command,
                   const struct load_requests_options *options)
{
    switch (commands[command].reply_kind) {
    case '$':
        write_value(writer, options->value_size, false);
        break;
    case '*':
        (void)fil_writer_format(writer, "*%u\r\n", options->key_batch);
        for (uint32_t i = 0; i < options->key_batch; i++) {
            write_value(writer, options->value_size, false);
        }
        break;
    case ':':
        (void)fil_writer_text(writer, ":1\r\n");
        break;
    default:
        (void)fil_writer_text(writer, "+OK\r\n");
        break;
    }
}

const struct load_protocol load_protocol_resp = {
    .name = "resp",
    .overhead_max = 64,
    .has = has,
    .write = write_request,
    .next = load_replies_next,
    .answer = answer,
};
