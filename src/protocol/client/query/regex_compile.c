// SPDX-License-Identifier: Apache-2.0
/** Regular expressions become steps. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/utf8.h"
#include "protocol/client/query/regex_internal.h"

#define DEPTH_MAX  32U
#define REPEAT_MAX 255U
#define NO_END     UINT32_MAX

struct compiler {
    struct fil_bytes pattern;
    size_t at;
    int error;
    struct fil_query_regex *regex;
};

static void compile_choice(struct compiler *compiler, uint32_t depth);

static void fail(struct compiler *compiler, int error)
{
    fil_assert(error != FIL_OK);
    if (compiler->error == FIL_OK) {
        compiler->error = error;
    }
}

static uint8_t peek(const struct compiler *compiler)
{
    return compiler->at < compiler->pattern.size ? compiler->pattern.data[compiler->at] : 0;
}

static bool skip_if(struct compiler *compiler, uint8_t wanted)
{
    if (compiler->at < compiler->pattern.size && peek(compiler) == wanted) {
        compiler->at++;
        return true;
    }
    return false;
}

static void add_step(struct compiler *compiler, enum fil_query__step_kind kind, uint32_t first,
                     uint32_t second)
{
    struct fil_query_regex *regex = compiler->regex;
    if (regex->step_count == FIL_QUERY_REGEX_STEPS_MAX) {
        fail(compiler, FIL_E_LIMIT);
        return;
    }
    regex->steps[regex->step_count] =
        (struct fil_query__regex_step){.kind = kind, .first = first, .second = second};
    regex->step_count++;
}

static void add_range(struct compiler *compiler, uint32_t low, uint32_t high)
{
    struct fil_query_regex *regex = compiler->regex;
    if (regex->range_count == FIL_QUERY_REGEX_STEPS_MAX) {
        fail(compiler, FIL_E_LIMIT);
        return;
    }
    if (low > high) {
        fail(compiler, FIL_E_MALFORMED);
        return;
    }
    regex->ranges[regex->range_count] = (struct fil_query__range){low, high};
    regex->range_count++;
}

/** The ranges between those of a class, for \D and its kin. */
static void add_outside(struct compiler *compiler, const struct fil_query__range *ranges,
                        uint32_t count)
{
    uint32_t from = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].low > from) {
            add_range(compiler, from, ranges[i].low - 1);
        }
        from = ranges[i].high + 1;
    }
    add_range(compiler, from, UINT32_MAX);
}

/** False when the letter behind the backslash names no class. */
static bool add_named(struct compiler *compiler, uint8_t letter)
{
    static const struct fil_query__range digits[] = {{'0', '9'}};
    static const struct fil_query__range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const struct fil_query__range blanks[] = {{'\t', '\r'}, {' ', ' '}};
    uint8_t lower = (uint8_t)(letter | 0x20);
    if (lower != 'd' && lower != 'w' && lower != 's') {
        return false;
    }
    const struct fil_query__range *ranges = lower == 'd' ? digits : lower == 'w' ? words : blanks;
    uint32_t count = lower == 'd' ? 1 : lower == 'w' ? 4 : 2;
    if (letter != lower) {
        add_outside(compiler, ranges, count);
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_range(compiler, ranges[i].low, ranges[i].high);
    }
    return true;
}

/** What a backslash makes of the letter behind it. */
static uint32_t escaped(struct compiler *compiler)
{
    if (compiler->at == compiler->pattern.size) {
        fail(compiler, FIL_E_MALFORMED);
        return 0;
    }
    uint32_t point = fil_query__take_character(compiler->pattern, &compiler->at);
    static const char letters[] = "t\tn\nr\rf\f";
    const char *found = point < 0x80 && point != 0 ? strchr(letters, (int)point) : NULL;
    if (found != NULL && (found - letters) % 2 == 0) {
        return (uint8_t)found[1];
    }
    bool is_letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z') ||
                     (point >= '0' && point <= '9');
    if (is_letter) {
        fail(compiler, FIL_E_UNSUPPORTED);
    }
    return point;
}

static uint32_t take_class_character(struct compiler *compiler)
{
    return skip_if(compiler, '\\') ? escaped(compiler)
                                   : fil_query__take_character(compiler->pattern, &compiler->at);
}

static void compile_class_item(struct compiler *compiler)
{
    const uint8_t *next = compiler->pattern.data + compiler->at;
    size_t rest = compiler->pattern.size - compiler->at;
    fil_assert(rest > 0);
    if (rest > 1 && next[0] == '\\' && add_named(compiler, next[1])) {
        compiler->at += 2;
        return;
    }
    uint32_t low = take_class_character(compiler);
    next = compiler->pattern.data + compiler->at;
    rest = compiler->pattern.size - compiler->at;
    bool is_range = rest > 1 && next[0] == '-' && next[1] != ']';
    compiler->at += is_range;
    add_range(compiler, low, is_range ? take_class_character(compiler) : low);
}

/** Behind the opening bracket. */
static void compile_class(struct compiler *compiler)
{
    bool is_negated = skip_if(compiler, '^');
    uint32_t first = compiler->regex->range_count;
    bool is_first = true;
    while (compiler->error == FIL_OK && (is_first || peek(compiler) != ']')) {
        if (compiler->at == compiler->pattern.size) {
            fail(compiler, FIL_E_MALFORMED);
            return;
        }
        if (peek(compiler) == '[' || peek(compiler) == '&') {
            fail(compiler, FIL_E_UNSUPPORTED); // classes inside of classes
            return;
        }
        compile_class_item(compiler);
        is_first = false;
    }
    compiler->at++;
    add_step(compiler, FIL_QUERY__CLASS, first, compiler->regex->range_count - first);
    if (compiler->error == FIL_OK) {
        compiler->regex->steps[compiler->regex->step_count - 1].is_negated = is_negated;
    }
}

static void compile_group(struct compiler *compiler, uint32_t depth)
{
    if (skip_if(compiler, '?') && !skip_if(compiler, ':')) {
        fail(compiler, FIL_E_UNSUPPORTED);
        return;
    }
    compile_choice(compiler, depth + 1);
    if (!skip_if(compiler, ')')) {
        fail(compiler, FIL_E_MALFORMED);
    }
}

static void compile_escape(struct compiler *compiler)
{
    uint32_t first = compiler->regex->range_count;
    if (add_named(compiler, peek(compiler))) {
        compiler->at++;
        add_step(compiler, FIL_QUERY__CLASS, first, compiler->regex->range_count - first);
        return;
    }
    add_step(compiler, FIL_QUERY__CHARACTER, escaped(compiler), 0);
}

static void compile_atom(struct compiler *compiler, uint32_t depth)
{
    uint32_t point = fil_query__take_character(compiler->pattern, &compiler->at);
    switch (point) {
    case '(':
        compile_group(compiler, depth);
        break;
    case '[':
        compile_class(compiler);
        break;
    case '.':
        add_step(compiler, FIL_QUERY__ANY, 0, 0);
        break;
    case '^':
        add_step(compiler, FIL_QUERY__START, 0, 0);
        break;
    case '$':
        add_step(compiler, FIL_QUERY__END, 0, 0);
        break;
    case '\\':
        compile_escape(compiler);
        break;
    case '*':
    case '+':
    case '?':
    case '{':
        fail(compiler, FIL_E_MALFORMED); // nothing to repeat
        break;
    default:
        add_step(compiler, FIL_QUERY__CHARACTER, point, 0);
    }
}

/** Puts a copy of the steps from..to behind the last one. */
static void repeat_steps(struct compiler *compiler, uint32_t from, uint32_t to)
{
    uint32_t shift = compiler->regex->step_count - from;
    for (uint32_t i = from; compiler->error == FIL_OK && i < to; i++) {
        struct fil_query__regex_step step = compiler->regex->steps[i];
        if (step.kind == FIL_QUERY__SPLIT || step.kind == FIL_QUERY__JUMP) {
            step.first += shift;
            step.second += step.kind == FIL_QUERY__SPLIT ? shift : 0;
        }
        add_step(compiler, step.kind, step.first, step.second);
        if (compiler->error == FIL_OK) {
            compiler->regex->steps[compiler->regex->step_count - 1].is_negated = step.is_negated;
        }
    }
}

/** Makes place for a step in front of the last ones. */
static void insert_split(struct compiler *compiler, uint32_t from)
{
    struct fil_query_regex *regex = compiler->regex;
    add_step(compiler, FIL_QUERY__JUMP, 0, 0);
    if (compiler->error != FIL_OK) {
        return;
    }
    for (uint32_t i = regex->step_count - 1; i > from; i--) {
        struct fil_query__regex_step *step = &regex->steps[i];
        *step = regex->steps[i - 1];
        if (step->kind == FIL_QUERY__SPLIT || step->kind == FIL_QUERY__JUMP) {
            step->first++;
            step->second += step->kind == FIL_QUERY__SPLIT;
        }
    }
    regex->steps[from] = (struct fil_query__regex_step){
        .kind = FIL_QUERY__SPLIT, .first = from + 1, .second = regex->step_count};
}

static void make_optional(struct compiler *compiler, uint32_t from)
{
    insert_split(compiler, from);
}

static void make_loop(struct compiler *compiler, uint32_t from)
{
    insert_split(compiler, from);
    add_step(compiler, FIL_QUERY__JUMP, from, 0);
    if (compiler->error == FIL_OK) {
        compiler->regex->steps[from].second = compiler->regex->step_count;
    }
}

/** Behind the opening brace: m, m, or m,n. */
static void take_counts(struct compiler *compiler, uint32_t *out_low, uint32_t *out_high)
{
    size_t start = compiler->at;
    size_t close = start + fil_bytes_find(fil_bytes_make(compiler->pattern.data + start,
                                                         compiler->pattern.size - start),
                                          '}');
    struct fil_bytes text = fil_bytes_make(compiler->pattern.data + start, close - start);
    size_t comma = fil_bytes_find(text, ',');
    uint64_t low = 0;
    uint64_t high = 0;
    bool is_good =
        close < compiler->pattern.size && fil_bytes_to_u64(fil_bytes_make(text.data, comma), &low);
    bool has_high = comma + 1 < text.size;
    if (is_good && has_high) {
        is_good =
            fil_bytes_to_u64(fil_bytes_make(text.data + comma + 1, text.size - comma - 1), &high);
    }
    high = has_high ? high : comma < text.size ? NO_END : low;
    if (!is_good || low > high) {
        fail(compiler, FIL_E_MALFORMED);
    } else if (low > REPEAT_MAX || (high > REPEAT_MAX && high != NO_END)) {
        fail(compiler, FIL_E_LIMIT);
    }
    compiler->at = close + 1;
    *out_low = (uint32_t)low;
    *out_high = (uint32_t)high;
}

static bool take_quantifier(struct compiler *compiler, uint32_t *out_low, uint32_t *out_high)
{
    *out_low = peek(compiler) == '+' ? 1 : 0;
    *out_high = peek(compiler) == '?' ? 1 : NO_END;
    if (skip_if(compiler, '{')) {
        take_counts(compiler, out_low, out_high);
    } else if (!skip_if(compiler, '*') && !skip_if(compiler, '+') && !skip_if(compiler, '?')) {
        return false;
    }
    if (!skip_if(compiler, '?')) {
        (void)skip_if(compiler, '+'); // what matches is the same
    }
    return compiler->error == FIL_OK;
}

/** The steps from `from` on are there once; makes low to high times of them. */
static void repeat(struct compiler *compiler, uint32_t from, uint32_t low, uint32_t high)
{
    uint32_t to = compiler->regex->step_count;
    if (low == 0 && high == 0) {
        compiler->regex->step_count = from;
        return;
    }
    for (uint32_t i = 1; compiler->error == FIL_OK && i < low; i++) {
        repeat_steps(compiler, from, to);
    }
    if (high == NO_END) {
        uint32_t last = compiler->regex->step_count;
        if (low > 0) {
            repeat_steps(compiler, from, to);
        }
        make_loop(compiler, low > 0 ? last : from);
        return;
    }
    for (uint32_t i = low; compiler->error == FIL_OK && i < high; i++) {
        uint32_t last = compiler->regex->step_count;
        bool is_first = i == 0;
        if (!is_first) {
            // The first one may have a step before it by now.
            repeat_steps(compiler, from + (low == 0), to + (low == 0));
        }
        make_optional(compiler, is_first ? from : last);
    }
}

static void compile_sequence(struct compiler *compiler, uint32_t depth)
{
    while (compiler->error == FIL_OK && compiler->at < compiler->pattern.size &&
           peek(compiler) != '|' && peek(compiler) != ')') {
        uint32_t from = compiler->regex->step_count;
        uint32_t low = 0;
        uint32_t high = 0;
        compile_atom(compiler, depth);
        if (compiler->error == FIL_OK && take_quantifier(compiler, &low, &high)) {
            repeat(compiler, from, low, high);
        }
    }
}

static void compile_choice(struct compiler *compiler, uint32_t depth)
{
    uint32_t from = compiler->regex->step_count;
    if (depth == DEPTH_MAX) {
        fail(compiler, FIL_E_LIMIT);
        return;
    }
    compile_sequence(compiler, depth);
    if (compiler->error != FIL_OK || !skip_if(compiler, '|')) {
        return;
    }
    insert_split(compiler, from);
    uint32_t jump = compiler->regex->step_count;
    add_step(compiler, FIL_QUERY__JUMP, 0, 0);
    if (compiler->error == FIL_OK) {
        compiler->regex->steps[from].second = compiler->regex->step_count;
        compile_choice(compiler, depth + 1);
        compiler->regex->steps[jump].first = compiler->regex->step_count;
    }
}

int fil_query_regex_compile(struct fil_bytes pattern, struct fil_arena *arena,
                            const struct fil_query_regex **out_regex)
{
    struct compiler compiler = {.pattern = pattern};
    compiler.regex = fil_arena_alloc_zero(arena, 1, sizeof(*compiler.regex));
    if (compiler.regex == NULL) {
        return FIL_E_NOMEM;
    }
    if (!fil_utf8_is_valid(pattern)) {
        return FIL_E_MALFORMED;
    }
    compile_choice(&compiler, 0);
    if (compiler.error == FIL_OK && compiler.at < pattern.size) {
        fail(&compiler, FIL_E_MALFORMED); // a bracket that nothing opened
    }
    add_step(&compiler, FIL_QUERY__MATCH, 0, 0);
    *out_regex = compiler.regex;
    return compiler.error;
}
