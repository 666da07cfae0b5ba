// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/stream_word.h"

#include <stdio.h>

#include "lib/base/assert.h"
#include "protocol/resp/key.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/word.h"

#define ID_TEXT_MAX 48U // two numbers, a sign between them, and an end

bool fil_resp_stream_word_to_new_id(struct fil_bytes word, struct fil_xstream_id *out_id,
                                    bool *out_has_number)
{
    size_t dash = fil_bytes_find(word, '-');
    struct fil_bytes ms = fil_bytes_make(word.data, dash);
    *out_has_number = true;
    *out_id = (struct fil_xstream_id){0};
    if (!fil_bytes_to_u64(ms, &out_id->ms)) {
        return false;
    }
    if (dash == word.size) {
        return true;
    }
    struct fil_bytes number = fil_bytes_make(word.data + dash + 1, word.size - dash - 1);
    if (fil_bytes_equal_text(number, "*")) {
        *out_has_number = false;
        return true;
    }
    return fil_bytes_to_u64(number, &out_id->number);
}

bool fil_resp_stream_word_to_id(struct fil_bytes word, uint64_t missing, struct fil_xstream_id *out)
{
    bool has_number = true;
    if (!fil_resp_stream_word_to_new_id(word, out, &has_number) || !has_number) {
        return false;
    }
    if (fil_bytes_find(word, '-') == word.size) {
        out->number = missing;
    }
    return true;
}

void fil_resp_stream_tell_id(struct fil_output *output, struct fil_xstream_id id)
{
    char text[ID_TEXT_MAX];
    int size = snprintf(text, sizeof(text), "%llu-%llu", (unsigned long long)id.ms,
                        (unsigned long long)id.number);
    fil_assert(size > 0 && (size_t)size < sizeof(text));
    fil_resp_bulk(output, fil_bytes_make(text, (size_t)size));
}

static uint64_t count_words(struct fil_bytes words)
{
    struct fil_bytes word;
    uint64_t count = 0;
    while (fil_xstream_take_word(&words, &word)) {
        count++;
    }
    return count;
}

void fil_resp_stream_tell_entry(struct fil_output *output, const struct fil_xstream_entry *entry)
{
    struct fil_bytes words = entry->words;
    struct fil_bytes word;
    fil_resp_array(output, 2);
    fil_resp_stream_tell_id(output, entry->id);
    fil_resp_array(output, count_words(words));
    while (fil_xstream_take_word(&words, &word)) {
        fil_resp_bulk(output, word);
    }
}

bool fil_resp_stream_find(struct fil_map *map, const struct fil_map_key *key, uint64_t now_ms,
                          struct fil_output *output, struct fil_xstream **out_stream)
{
    struct fil_bundle bundle;
    *out_stream = NULL;
    if (!fil_resp_key_open(map, key, FIL_COLLECTION_STREAM, now_ms, output, &bundle)) {
        return false;
    }
    if (bundle.is_there) {
        fil_assert(bundle.large != NULL);
        *out_stream = bundle.large->stream;
    }
    return true;
}

bool fil_resp_stream_of(const struct fil_resp_access *access, struct fil_xstream **out_stream)
{
    return fil_resp_stream_find(access->map, &access->key, access->now_ms, access->output,
                                out_stream);
}

// Options of XADD and XTRIM.

/** Reads [= | ~] and what is behind it, from behind MAXLEN or MINID on. */
static const char *read_threshold(const struct fil_resp_command *command,
                                  struct fil_resp_stream_options *options, bool is_id)
{
    struct fil_resp_stream_trim *trim = &options->trim;
    uint32_t index = options->next + 1;
    if (trim->has_count || trim->has_id) {
        return "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
    }
    trim->is_near = index + 1 < command->count && fil_resp_word_is(command, index, "~");
    if (trim->is_near || (index + 1 < command->count && fil_resp_word_is(command, index, "="))) {
        index++;
    }
    struct fil_bytes word = fil_resp_argument(command, index);
    options->next = index + 1;
    trim->has_id = is_id;
    trim->has_count = !is_id;
    if (is_id) {
        return fil_resp_stream_word_to_id(word, 0, &trim->id) ? NULL : FIL_RESP_WRONG_ID;
    }
    if (!fil_resp_word_to_integer(word, &trim->count)) {
        return FIL_RESP_NOT_INTEGER;
    }
    return trim->count < 0 ? "ERR The MAXLEN argument must be >= 0." : NULL;
}

static const char *read_limit(const struct fil_resp_command *command,
                              struct fil_resp_stream_options *options)
{
    struct fil_resp_stream_trim *trim = &options->trim;
    trim->has_limit = true;
    if (!fil_resp_word_to_integer(fil_resp_argument(command, options->next + 1), &trim->limit)) {
        return FIL_RESP_NOT_INTEGER;
    }
    options->next += 2;
    return trim->limit < 0 ? "ERR The LIMIT argument must be >= 0." : NULL;
}

/** Reads the next option; false when there is none, and the rest is for the caller. */
static bool read_option(const struct fil_resp_command *command,
                        struct fil_resp_stream_options *options, const char **out_error)
{
    bool has_more = options->next + 1 < command->count;
    *out_error = NULL;
    if (has_more && fil_resp_word_is(command, options->next, "maxlen")) {
        *out_error = read_threshold(command, options, false);
    } else if (has_more && fil_resp_word_is(command, options->next, "minid")) {
        *out_error = read_threshold(command, options, true);
    } else if (has_more && fil_resp_word_is(command, options->next, "limit")) {
        *out_error = read_limit(command, options);
    } else if (options->is_add && fil_resp_word_is(command, options->next, "nomkstream")) {
        options->makes_none = true;
        options->next++;
    } else {
        return false;
    }
    return *out_error == NULL;
}

const char *fil_resp_stream_word_check(const struct fil_resp_stream_options *options)
{
    const struct fil_resp_stream_trim *trim = &options->trim;
    bool has_rule = trim->has_count || trim->has_id;
    if (trim->limit != 0 && !has_rule) {
        return "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
    }
    if (!options->is_add && !has_rule) {
        return "ERR syntax error, XTRIM must be called with a trimming strategy";
    }
    if (trim->has_limit && !trim->is_near) {
        return "ERR syntax error, LIMIT cannot be used without the special ~ option";
    }
    return NULL;
}

const char *fil_resp_stream_word_options(const struct fil_resp_command *command,
                                         struct fil_resp_stream_options *options)
{
    const char *error = NULL;
    while (read_option(command, options, &error)) {
    }
    if (error == NULL && !options->is_add && options->next < command->count) {
        error = FIL_RESP_SYNTAX;
    }
    return error;
}
