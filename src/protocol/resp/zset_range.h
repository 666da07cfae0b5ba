// SPDX-License-Identifier: Apache-2.0
/** Ranges of sorted sets, by place, by score or by member, as words say them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/shelf/zset.h"
#include "protocol/resp/decoder.h"

enum fil_resp_range_by {
    FIL_RESP_BY_RANK,
    FIL_RESP_BY_SCORE,
    FIL_RESP_BY_LEX,
};

/** One end of a range by score or by member. */
struct fil_resp_bound {
    double score;
    struct fil_bytes member;
    int infinity; // of members: -1 before all, 1 behind all
    bool is_excluded;
    bool is_lex;
};

struct fil_resp_range {
    enum fil_resp_range_by by;
    bool is_reverse;
    bool has_scores; // they are wanted in the reply
    int64_t start;   // by rank
    int64_t stop;
    struct fil_resp_bound low;
    struct fil_resp_bound high;
    int64_t offset;
    int64_t limit; // negative: none
};

/** What a command's name has decided already. */
struct fil_resp_range_form {
    enum fil_resp_range_by by;
    bool is_reverse;
    bool is_free;   // ZRANGE: options decide both
    bool is_store;  // ZRANGESTORE: no WITHSCORES
    bool is_bare;   // no options at all
    uint32_t first; // index of the word of the first end
};

/** NULL, or what is wrong with the words. */
const char *fil_resp_range_read(const struct fil_resp_command *command,
                                const struct fil_resp_range_form *form,
                                struct fil_resp_range *out_range);

/** Which members that are. */
struct fil_zset_range fil_resp_range_find(struct fil_bundle *zset,
                                          const struct fil_resp_range *range);
