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
    const char *prefix;   // of the key, four bytes, in a key space of its own; NULL: "key:"
    uint32_t field_count; // beside the key, with digits of their own: a member, or score and member
};

static const struct command_info commands[LOAD_COMMAND_COUNT] = {
    [LOAD_GET] = {.word = "GET", .reply_kind = '$'},
    [LOAD_SET] = {.word = "SET", .reply_kind = '+', .has_value = true},
    [LOAD_INCR] = {.word = "INCR", .reply_kind = ':', .is_counter = true},
    [LOAD_MGET] = {.word = "MGET", .reply_kind = '*', .has_many_keys = true},
    [LOAD_MSET] = {.word = "MSET", .reply_kind = '+', .has_value = true, .has_many_keys = true},
    [LOAD_LPUSH] = {.word = "LPUSH", .reply_kind = ':', .has_value = true, .prefix = "lst:"},
    [LOAD_RPOP] = {.word = "RPOP", .reply_kind = '$', .prefix = "lst:"},
    [LOAD_SADD] = {.word = "SADD", .reply_kind = ':', .prefix = "set:", .field_count = 1},
    [LOAD_HSET] =
        {.word = "HSET", .reply_kind = ':', .has_value = true, .prefix = "hsh:", .field_count = 1},
    [LOAD_ZADD] = {.word = "ZADD", .reply_kind = ':', .prefix = "zst:", .field_count = 2},
    [LOAD_PREPARE] = {.word = "SET", .reply_kind = '+', .has_value = true, .is_counter = true},
};

static bool has(enum load_command command)
{
    return load_command_is_mixed(command) || commands[command].word != NULL;
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

/** A key, or a field like one. The last field of a request is a member, one before it a score. */
static void write_field(struct fil_writer *writer, const struct command_info *info, uint32_t index,
                        const struct load_requests_options *options)
{
    (void)fil_writer_format(writer, "$%u\r\n", options->key_size);
    if (index > 0 && index < info->field_count) {
        (void)fil_writer_fill(writer, '0', options->key_size);
    } else {
        size_t begin = writer->size;
        load_protocol_write_key(writer, options, info->is_counter);
        bool has_prefix = writer->size > begin && writer->data[begin] == 'k';
        if (index == 0 && info->prefix != NULL && has_prefix) {
            memcpy(writer->data + begin, info->prefix, strlen(info->prefix));
        }
    }
    (void)fil_writer_text(writer, "\r\n");
}

/** A request about fields of one key, all of them of the same size. */
static void write_fields(struct fil_writer *writer, const struct command_info *info,
                         const struct load_requests_options *options, struct load_shape *shape)
{
    for (uint32_t i = 0; i <= info->field_count; i++) {
        size_t begin = writer->size;
        write_field(writer, info, i, options);
        shape->first_end = i == 0 ? writer->size - 2 : shape->first_end;
        shape->stride = writer->size - begin;
    }
    shape->key_count = info->field_count + 1;
    if (info->has_value) {
        write_value(writer, options->value_size, info->is_counter);
    }
}

static struct load_shape write_request(struct fil_writer *writer, enum load_command command,
                                       const struct load_requests_options *options)
{
    const struct command_info *info = &commands[command];
    uint32_t key_count = info->has_many_keys ? options->key_batch : 1;
    struct load_shape shape = {.key_count = key_count, .expected.kind = info->reply_kind};
    shape.expected.element_count = info->reply_kind == '*' ? key_count : 0;
    uint32_t words = 1 + key_count * (info->has_value ? 2U : 1U) + info->field_count;
    (void)fil_writer_format(writer, "*%u\r\n$%zu\r\n%s\r\n", words, strlen(info->word), info->word);
    size_t head_end = writer->size;
    fil_assert(key_count > 0);
    if (!info->has_many_keys) {
        write_fields(writer, info, options, &shape);
        shape.size = writer->size;
        return shape;
    }
    for (uint32_t i = 0; i < key_count; i++) {
        write_field(writer, info, 0, options);
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
