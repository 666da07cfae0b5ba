// SPDX-License-Identifier: Apache-2.0
/** Ids of streams as words and in replies, and what all commands on streams share. */
#pragma once

#include <stdbool.h>

#include "core/shelf/stream.h"
#include "grid/map/shelf.h"
#include "lib/net/output.h"
#include "protocol/resp/decoder.h"
#include "protocol/resp/plan.h"

#define FIL_RESP_WRONG_ID "ERR Invalid stream ID specified as stream command argument"

/** Reads ms or ms-number; without a number it is that. False: it is no id. */
bool fil_resp_stream_word_to_id(struct fil_bytes word, uint64_t missing,
                                struct fil_xstream_id *out);

/** The same for XADD, which also takes ms-*: the number is for the stream to choose. */
bool fil_resp_stream_word_to_new_id(struct fil_bytes word, struct fil_xstream_id *out_id,
                                    bool *out_has_number);

void fil_resp_stream_tell_id(struct fil_output *output, struct fil_xstream_id id);

/** An array of the id and the array of its words. */
void fil_resp_stream_tell_entry(struct fil_output *output, const struct fil_xstream_entry *entry);

/** The key's stream, NULL when it has nothing; false when it has another type, as is told. */
FIL_INSIDE_PARTITION bool fil_resp_stream_find(struct fil_map *map, const struct fil_map_key *key,
                                               uint64_t now_ms, struct fil_output *output,
                                               struct fil_xstream **out_stream);

/** The same of the one key of a plan that was made for it. */
FIL_INSIDE_PARTITION bool fil_resp_stream_of(const struct fil_resp_access *access,
                                             struct fil_xstream **out_stream);

/** How entries at the front are to go. */
struct fil_resp_stream_trim {
    bool has_count; // not more than that stay
    bool has_id;    // none with a lower id stays
    bool is_near;   // about so: a limit may be given
    bool has_limit;
    int64_t count;
    int64_t limit; // of entries that go at once; 0: none
    struct fil_xstream_id id;
};

/** The words of XADD and XTRIM before the id, or before the end. */
struct fil_resp_stream_options {
    struct fil_resp_stream_trim trim;
    bool is_add;
    bool makes_none; // NOMKSTREAM
    uint32_t next;   // the word behind them
};

/** Returns what is wrong with the words, or NULL. */
const char *fil_resp_stream_word_options(const struct fil_resp_command *command,
                                         struct fil_resp_stream_options *options);

/** What does not go together, or NULL; asked when the id has been read too. */
const char *fil_resp_stream_word_check(const struct fil_resp_stream_options *options);
