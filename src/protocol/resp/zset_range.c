// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/zset_range.h"

#include "lib/base/assert.h"
#include "protocol/resp/word.h"

#define BAD_SCORE "ERR min or max is not a float"
#define BAD_LEX   "ERR min or max not valid string range item"

// Reading.

static bool read_score(struct fil_bytes word, struct fil_resp_bound *bound)
{
    *bound = (struct fil_resp_bound){.is_excluded = word.size > 0 && word.data[0] == '('};
    if (bound->is_excluded) {
        word = fil_bytes_make(word.data + 1, word.size - 1);
    }
    return fil_resp_word_to_double(word, &bound->score);
}

static bool read_member(struct fil_bytes word, struct fil_resp_bound *bound)
{
    *bound = (struct fil_resp_bound){.is_lex = true};
    if (word.size == 1 && (word.data[0] == '-' || word.data[0] == '+')) {
        bound->infinity = word.data[0] == '-' ? -1 : 1;
        return true;
    }
    if (word.size == 0 || (word.data[0] != '(' && word.data[0] != '[')) {
        return false;
    }
    bound->is_excluded = word.data[0] == '(';
    bound->member = fil_bytes_make(word.data + 1, word.size - 1);
    return true;
}

static const char *read_ends(const struct fil_resp_command *command, uint32_t first,
                             struct fil_resp_range *range)
{
    struct fil_bytes start = fil_resp_argument(command, first);
    struct fil_bytes stop = fil_resp_argument(command, first + 1);
    if (range->by == FIL_RESP_BY_RANK) {
        bool is_sound = fil_resp_word_to_integer(start, &range->start) &&
                        fil_resp_word_to_integer(stop, &range->stop);
        return is_sound ? NULL : FIL_RESP_NOT_INTEGER;
    }
    // Backwards the higher end comes first.
    struct fil_bytes low = range->is_reverse ? stop : start;
    struct fil_bytes high = range->is_reverse ? start : stop;
    if (range->by == FIL_RESP_BY_SCORE) {
        bool is_sound = read_score(low, &range->low) && read_score(high, &range->high);
        return is_sound ? NULL : BAD_SCORE;
    }
    return read_member(low, &range->low) && read_member(high, &range->high) ? NULL : BAD_LEX;
}

/** Reads LIMIT; NULL, or what is wrong with it. */
static const char *read_limit(const struct fil_resp_command *command, uint32_t index,
                              struct fil_resp_range *range)
{
    bool is_sound =
        fil_resp_word_to_integer(fil_resp_argument(command, index + 1), &range->offset) &&
        fil_resp_word_to_integer(fil_resp_argument(command, index + 2), &range->limit);
    return is_sound ? NULL : FIL_RESP_NOT_INTEGER;
}

/** Reads the option at the word; returns how many words it has, 0: it is none. */
static uint32_t read_option(const struct fil_resp_command *command, uint32_t index,
                            const struct fil_resp_range_form *form, struct fil_resp_range *range)
{
    if (!form->is_store && fil_resp_word_is(command, index, "withscores")) {
        range->has_scores = true;
        return 1;
    }
    if (fil_resp_word_is(command, index, "limit") && index + 2 < command->count) {
        return 3;
    }
    if (form->is_free && fil_resp_word_is(command, index, "rev")) {
        range->is_reverse = true;
        return 1;
    }
    if (form->is_free && range->by == FIL_RESP_BY_RANK) {
        bool is_lex = fil_resp_word_is(command, index, "bylex");
        bool is_score = fil_resp_word_is(command, index, "byscore");
        range->by = is_lex ? FIL_RESP_BY_LEX : is_score ? FIL_RESP_BY_SCORE : range->by;
        return is_lex || is_score;
    }
    return 0;
}

static const char *read_options(const struct fil_resp_command *command,
                                const struct fil_resp_range_form *form,
                                struct fil_resp_range *range)
{
    const char *error = NULL;
    for (uint32_t i = form->first + 2; i < command->count && error == NULL;) {
        uint32_t words = form->is_bare ? 0 : read_option(command, i, form, range);
        error = words == 0 ? FIL_RESP_SYNTAX : words == 3 ? read_limit(command, i, range) : NULL;
        i += words;
    }
    if (error != NULL) {
        return error;
    }
    if (range->limit != -1 && range->by == FIL_RESP_BY_RANK) {
        return "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
               "BYLEX";
    }
    if (range->has_scores && range->by == FIL_RESP_BY_LEX) {
        return "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
    }
    return NULL;
}

const char *fil_resp_range_read(const struct fil_resp_command *command,
                                const struct fil_resp_range_form *form,
                                struct fil_resp_range *out_range)
{
    *out_range =
        (struct fil_resp_range){.by = form->by, .is_reverse = form->is_reverse, .limit = -1};
    fil_assert(form->first + 1 < command->count);
    const char *error = read_options(command, form, out_range);
    return error != NULL ? error : read_ends(command, form->first, out_range);
}

// Finding.

/** Where a member stands beside a bound: below 0, above 0, or on it. */
static int compare(const struct fil_resp_bound *bound, double score, struct fil_bytes member)
{
    if (!bound->is_lex) {
        return (score > bound->score) - (score < bound->score);
    }
    return bound->infinity != 0 ? -bound->infinity : fil_ranking_compare(member, bound->member);
}

static bool is_before_low(const void *context, double score, struct fil_bytes member)
{
    const struct fil_resp_bound *low = context;
    int order = compare(low, score, member);
    return order < 0 || (order == 0 && low->is_excluded);
}

static bool is_up_to_high(const void *context, double score, struct fil_bytes member)
{
    const struct fil_resp_bound *high = context;
    int order = compare(high, score, member);
    return order < 0 || (order == 0 && !high->is_excluded);
}

static struct fil_zset_range find_ranks(uint64_t item_count, const struct fil_resp_range *range)
{
    int64_t size = (int64_t)item_count;
    int64_t first = range->start < 0 ? range->start + size : range->start;
    int64_t last = range->stop < 0 ? range->stop + size : range->stop;
    struct fil_zset_range found = {.is_reverse = range->is_reverse};
    first = first < 0 ? 0 : first;
    last = last >= size ? size - 1 : last;
    if (first <= last) {
        found.first = (uint64_t)first;
        found.count = (uint64_t)(last - first) + 1;
    }
    return found;
}

struct fil_zset_range fil_resp_range_find(struct fil_bundle *zset,
                                          const struct fil_resp_range *range)
{
    uint64_t size = fil_bundle_count(zset);
    struct fil_zset_range found = {.is_reverse = range->is_reverse};
    if (range->by == FIL_RESP_BY_RANK) {
        return find_ranks(size, range);
    }
    uint64_t begin = fil_zset_below(zset, is_before_low, &range->low);
    uint64_t end = fil_zset_below(zset, is_up_to_high, &range->high);
    if (end <= begin || range->offset < 0 || (uint64_t)range->offset >= end - begin) {
        return found;
    }
    found.first = (range->is_reverse ? size - end : begin) + (uint64_t)range->offset;
    found.count = end - begin - (uint64_t)range->offset;
    if (range->limit >= 0 && (uint64_t)range->limit < found.count) {
        found.count = (uint64_t)range->limit;
    }
    fil_assert(found.first + found.count <= size);
    return found;
}
