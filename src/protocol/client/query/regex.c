// SPDX-License-Identifier: Apache-2.0
/** Matching keeps the set of steps that are reached after each character. */
#include "protocol/client/query/regex.h"

#include <string.h>

#include "protocol/client/query/regex_internal.h"

/** The steps that are reached; a bit for each that has been looked at. */
struct threads {
    uint32_t count;
    uint16_t steps[FIL_QUERY_REGEX_STEPS_MAX];
    uint8_t seen[FIL_QUERY_REGEX_STEPS_MAX / 8];
};

static bool is_new(struct threads *threads, uint32_t step)
{
    uint8_t bit = (uint8_t)(1U << (step % 8));
    bool is_seen = (threads->seen[step / 8] & bit) != 0;
    threads->seen[step / 8] |= bit;
    return !is_seen;
}

/** Where the text is looked at. */
struct spot {
    bool is_start;
    bool is_end;
};

/** Adds a step and all that are reached from it without a character. */
static void reach(const struct fil_query_regex *regex, struct threads *threads, uint32_t from,
                  struct spot spot)
{
    uint16_t pending[FIL_QUERY_REGEX_STEPS_MAX + 1];
    uint32_t count = 0;
    pending[count++] = (uint16_t)from;
    while (count > 0) {
        uint32_t number = pending[--count];
        const struct fil_query__regex_step *step = &regex->steps[number];
        if (!is_new(threads, number)) {
            continue;
        }
        // Each step is looked at once and leaves one more behind at most.
        fil_debug_assert(count + 2 <= FIL_QUERY_REGEX_STEPS_MAX + 1);
        if (step->kind == FIL_QUERY__SPLIT) {
            pending[count++] = (uint16_t)step->second;
            pending[count++] = (uint16_t)step->first;
        } else if (step->kind == FIL_QUERY__JUMP) {
            pending[count++] = (uint16_t)step->first;
        } else if (step->kind == FIL_QUERY__START || step->kind == FIL_QUERY__END) {
            if (step->kind == FIL_QUERY__START ? spot.is_start : spot.is_end) {
                pending[count++] = (uint16_t)(number + 1);
            }
        } else {
            threads->steps[threads->count++] = (uint16_t)number;
        }
    }
}

static bool takes(const struct fil_query_regex *regex, const struct fil_query__regex_step *step,
                  uint32_t point)
{
    if (step->kind == FIL_QUERY__CHARACTER) {
        return step->first == point;
    }
    if (step->kind == FIL_QUERY__ANY) {
        return point != '\n' && point != '\r';
    }
    if (step->kind != FIL_QUERY__CLASS) {
        return false;
    }
    bool is_inside = false;
    for (uint32_t i = 0; i < step->second && !is_inside; i++) {
        const struct fil_query__range *range = &regex->ranges[step->first + i];
        is_inside = point >= range->low && point <= range->high;
    }
    return is_inside != step->is_negated;
}

static void clear(struct threads *threads, uint32_t step_count)
{
    threads->count = 0;
    memset(threads->seen, 0, (step_count + 7) / 8);
}

bool fil_query_regex_matches(const struct fil_query_regex *regex, struct fil_bytes text)
{
    struct threads sets[2];
    uint32_t now = 0;
    size_t at = 0;
    fil_assert(regex->step_count > 0);
    clear(&sets[0], regex->step_count);
    reach(regex, &sets[0], 0, (struct spot){.is_start = true, .is_end = text.size == 0});
    while (at < text.size && sets[now].count > 0) {
        uint32_t point = fil_query__take_character(text, &at);
        struct threads *next = &sets[1 - now];
        clear(next, regex->step_count);
        for (uint32_t i = 0; i < sets[now].count; i++) {
            uint32_t number = sets[now].steps[i];
            if (takes(regex, &regex->steps[number], point)) {
                reach(regex, next, number + 1, (struct spot){.is_end = at == text.size});
            }
        }
        now = 1 - now;
    }
    for (uint32_t i = 0; at == text.size && i < sets[now].count; i++) {
        if (regex->steps[sets[now].steps[i]].kind == FIL_QUERY__MATCH) {
            return true;
        }
    }
    return false;
}
