// SPDX-License-Identifier: Apache-2.0
#include "core/stream/fold.h"

#include "core/stream/watermark.h"
#include "core/stream/window.h"

#define WAYS        4U // places of a key
#define PLACES_MAX  32768U
#define PLACES_MIN  64U
#define TABLE_BYTES (UINT64_C(2) << 20)
#define AT_ONCE     64U
#define SWEPT_MAX   4096U // places that a call looks at

// So many states that went out show whether folding is worth it; records that then pass unfolded.
#define JUDGED_MIN  4096U
#define PASSED_EACH (16U * PLACES_MAX)

struct fold {
    const struct fil_fold_config *config;
    struct fil_budget *budget;
    uint32_t key_at;
    uint32_t state_at;
    uint32_t stride;

    // Rows are results that are not out yet. A tag is a piece of the hash, or 0: the place is free.
    void *block;
    size_t block_bytes;
    uint8_t *rows;
    uint32_t *tags;
    uint32_t *used; // the places that are taken, in any order
    uint32_t used_count;
    uint32_t place_count; // 0: no table
    uint32_t shift;       // of a hash's low half, to get the first of its places
    uint32_t victim;      // which of the places goes next

    int64_t last_start; // of the slice of the record before
    int64_t least_end;  // no row's slice ends before
    bool is_sweeping;
    uint32_t swept;      // places of `used` from this one on have been looked at
    int64_t swept_least; // of the rows that stay
    bool must_sweep;
    uint64_t in_count; // since folding was judged last
    uint64_t out_count;
    uint64_t pass_left; // records that pass unfolded
};

/** What of a record decides where it goes. */
struct spot {
    const uint8_t *key;
    uint64_t hash; // of key and slice
    int64_t start; // of the slice
};

uint32_t fil_fold_key_at(const struct fil_fold_config *config)
{
    return config->slide == 0 ? 0 : (uint32_t)sizeof(struct fil_window_result);
}

uint32_t fil_fold_state_at(const struct fil_fold_config *config)
{
    return fil_fold_key_at(config) + ((config->key.size + 7U) & ~7U);
}

uint32_t fil_fold_result_bytes(const struct fil_fold_config *config)
{
    return fil_fold_state_at(config) + config->aggregate.state_size;
}

/** The largest table that size and budget allow, maybe none. */
static void make_table(struct fold *fold)
{
    uint32_t count = fold->config->place_max == 0 ? PLACES_MAX : fold->config->place_max;
    size_t place_bytes = fold->stride + sizeof(*fold->tags) + sizeof(*fold->used);
    while (count > PLACES_MIN && count * place_bytes > TABLE_BYTES) {
        count /= 2;
    }
    for (; count >= WAYS * 2; count /= 2) {
        fold->block_bytes = count * place_bytes;
        fold->block = fil_budget_alloc(fold->budget, fold->block_bytes);
        if (fold->block != NULL) {
            break;
        }
    }
    if (fold->block != NULL) {
        fold->place_count = count;
        fold->rows = fold->block;
        fold->tags = (uint32_t *)(void *)(fold->rows + (size_t)count * fold->stride);
        fold->used = fold->tags + count;
        fold->shift = 32U - (uint32_t)__builtin_ctz(count / WAYS);
    }
}

static int fold_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct fold *fold = self;
    const struct fil_fold_config *own = config;
    bool is_good = own->key.size != 0 && own->key.extract == NULL && own->slide >= 0 &&
                   own->aggregate.ops != NULL && own->aggregate.state_size % 8 == 0 &&
                   (own->place_max & (own->place_max - 1)) == 0 && context->outbox.count == 1 &&
                   context->outbox.outlets[0].edge->layout.stride == fil_fold_result_bytes(own);
    if (!is_good) {
        return FIL_E_INVALID;
    }
    fold->config = own;
    fold->budget = context->budget;
    fold->key_at = fil_fold_key_at(own);
    fold->state_at = fil_fold_state_at(own);
    fold->stride = fil_fold_result_bytes(own);
    fold->least_end = INT64_MAX;
    make_table(fold);
    return FIL_OK;
}

static void fold_close(void *self)
{
    struct fold *fold = self;
    if (fold->block != NULL) {
        fil_budget_free(fold->budget, fold->block, fold->block_bytes);
    }
}

static uint8_t *row_at(const struct fold *fold, uint32_t place)
{
    return fold->rows + (size_t)place * fold->stride;
}

static uint64_t key_hash(const struct fold *fold, const uint8_t *key)
{
    return fil_key_hash_bytes(fil_bytes_make(key, fold->config->key.size));
}

/** FIL_E_INVALID: a time so near the ends of the range that its slice would leave it. */
static int look_at(struct fold *fold, struct fil_batch *batch, uint32_t index,
                   struct spot *out_spot)
{
    int64_t slide = fold->config->slide;
    const uint8_t *record = fil_batch_record(batch, index);
    *out_spot = (struct spot){.key = record + fold->config->key.offset};
    out_spot->hash = key_hash(fold, out_spot->key);
    if (slide != 0) {
        int64_t time = fil_batch_time(batch, index);
        if (time < INT64_MIN + 2 * slide || time > INT64_MAX - 2 * slide) {
            return FIL_E_INVALID;
        }
        // Records in a row are mostly of one slice: a division less.
        if ((uint64_t)time - (uint64_t)fold->last_start >= (uint64_t)slide) {
            fold->last_start = fil_time_floor(time, slide);
        }
        out_spot->start = fold->last_start;
        out_spot->hash = fil_key_mix(out_spot->hash + (uint64_t)out_spot->start);
    }
    return FIL_OK;
}

/** Makes a row an empty state of the key and slice. */
static void begin_row(const struct fold *fold, uint8_t *row, const struct spot *spot)
{
    memset(row, 0, fold->stride);
    if (fold->config->slide != 0) {
        const struct fil_window_result slice = {.start = spot->start,
                                                .end = spot->start + fold->config->slide};
        memcpy(row, &slice, sizeof(slice));
    }
    memcpy(row + fold->key_at, spot->key, fold->config->key.size);
}

static bool is_of(const struct fold *fold, const uint8_t *row, const struct spot *spot)
{
    if (fold->config->slide != 0 && memcmp(row, &spot->start, sizeof(spot->start)) != 0) {
        return false;
    }
    if (fold->config->key.size == sizeof(uint64_t)) {
        return memcmp(row + fold->key_at, spot->key, sizeof(uint64_t)) == 0; // without a call
    }
    return memcmp(row + fold->key_at, spot->key, fold->config->key.size) == 0;
}

static int64_t row_end(const struct fold *fold, const uint8_t *row)
{
    struct fil_window_result slice = {.end = INT64_MIN};
    if (fold->config->slide != 0) {
        memcpy(&slice, row, sizeof(slice));
    }
    return slice.end;
}

/** Sends a row out; false: there is no room. */
static bool emit(struct fold *fold, struct fil_processor_context *context, const uint8_t *row)
{
    struct fil_outbox *outbox = &context->outbox;
    void *room = fil_outbox_reserve(outbox, 0, fold->stride);
    if (room == NULL) {
        return false;
    }
    memcpy(room, row, fold->stride);
    int64_t time = fold->config->slide == 0 ? FIL_TIME_NONE : row_end(fold, row) - 1;
    uint64_t hash = fil_outbox_wants_hashes(outbox, 0) ? key_hash(fold, row + fold->key_at) : 0;
    fil_outbox_commit(outbox, 0, fold->stride, time, hash);
    fold->out_count++;
    return true;
}

/** Whether states that went out were too many for the records that came in. */
static void judge(struct fold *fold)
{
    if (fold->out_count < JUDGED_MIN) {
        return;
    }
    if (fold->out_count * 2 > fold->in_count) {
        fold->pass_left = PASSED_EACH;
        fold->must_sweep = fold->used_count != 0;
    }
    fold->in_count = 0;
    fold->out_count = 0;
}

/** Sends all rows out whose slices end by then. FIL_E_FULL also when it was enough for one call. */
static int sweep(struct fold *fold, struct fil_processor_context *context, int64_t end)
{
    if (!fold->is_sweeping && fold->least_end > end) {
        return FIL_OK;
    }
    if (!fold->is_sweeping) {
        fold->is_sweeping = true;
        fold->swept = fold->used_count;
        fold->swept_least = INT64_MAX;
    }
    for (uint32_t looked = 0; fold->swept != 0; looked++) {
        uint32_t place = fold->used[fold->swept - 1];
        if (looked == SWEPT_MAX) {
            return FIL_E_FULL;
        }
        int64_t own_end = row_end(fold, row_at(fold, place));
        if (own_end <= end) {
            if (!emit(fold, context, row_at(fold, place))) {
                return FIL_E_FULL;
            }
            fold->tags[place] = 0;
            fold->used_count--;
            fold->used[fold->swept - 1] = fold->used[fold->used_count];
        } else {
            fold->swept_least = own_end < fold->swept_least ? own_end : fold->swept_least;
        }
        fold->swept--;
    }
    fold->is_sweeping = false;
    fold->least_end = fold->swept_least;
    judge(fold);
    return FIL_OK;
}

static int sweep_all(struct fold *fold, struct fil_processor_context *context)
{
    int result = sweep(fold, context, INT64_MAX);
    fold->must_sweep = fold->must_sweep && result != FIL_OK;
    return result;
}

/** The same for a row of the table. */
static void begin_kept(struct fold *fold, uint8_t *row, const struct spot *spot)
{
    begin_row(fold, row, spot);
    int64_t end = row_end(fold, row);
    fold->least_end = end < fold->least_end ? end : fold->least_end;
}

/** The place of key and slice, made if there is a free one; place_count: none. */
static uint32_t find_place(struct fold *fold, const struct spot *spot, uint32_t tag)
{
    uint32_t first = ((uint32_t)spot->hash >> fold->shift) * WAYS;
    uint32_t free_place = fold->place_count;
    for (uint32_t place = first; place < first + WAYS; place++) {
        if (fold->tags[place] == tag && is_of(fold, row_at(fold, place), spot)) {
            return place;
        }
        free_place = fold->tags[place] == 0 ? place : free_place;
    }
    if (free_place != fold->place_count) {
        fold->tags[free_place] = tag;
        fold->used[fold->used_count] = free_place;
        fold->used_count++;
        begin_kept(fold, row_at(fold, free_place), spot);
    }
    return free_place;
}

/** Records on their way into their states. */
struct folded {
    uint32_t count;
    void *states[AT_ONCE];
    const void *records[AT_ONCE];
};

static void add_all(struct fold *fold, struct folded *folded, struct fil_inbox *inbox)
{
    const struct fil_aggregate *aggregate = &fold->config->aggregate;
    if (folded->count != 0) {
        aggregate->ops->accumulate(aggregate, folded->states, folded->records, folded->count);
    }
    inbox->position += folded->count;
    fold->in_count += folded->count;
    folded->count = 0;
}

/** A row for a key that finds all its places taken: one of them goes out. NULL: no room for it. */
static uint8_t *replace(struct fold *fold, struct fil_processor_context *context,
                        const struct spot *spot, uint32_t tag)
{
    uint32_t place = ((uint32_t)spot->hash >> fold->shift) * WAYS + fold->victim % WAYS;
    uint8_t *row = row_at(fold, place);
    if (!emit(fold, context, row)) {
        return NULL;
    }
    fold->victim++;
    fold->tags[place] = tag;
    begin_kept(fold, row, spot);
    return row;
}

static int fold_some(struct fold *fold, struct fil_processor_context *context,
                     struct fil_inbox *inbox)
{
    struct folded folded;
    folded.count = 0;
    uint32_t begin = inbox->position;
    uint32_t left = inbox->limit - begin;
    int error = FIL_OK;
    for (uint32_t i = 0; i < AT_ONCE && i < left; i++) {
        struct spot spot;
        error = look_at(fold, inbox->batch, begin + i, &spot);
        if (error != FIL_OK) {
            (void)fil_processor_blame_time(context, fil_batch_time(inbox->batch, begin + i));
            break;
        }
        uint32_t tag = (uint32_t)spot.hash | (uint32_t)((uint32_t)spot.hash == 0);
        uint32_t place = find_place(fold, &spot, tag);
        uint8_t *row = place < fold->place_count ? row_at(fold, place) : NULL;
        if (row == NULL) {
            add_all(fold, &folded, inbox); // the row that goes may be one of theirs
            row = replace(fold, context, &spot, tag);
        }
        if (row == NULL) {
            error = FIL_E_FULL;
            break;
        }
        folded.states[folded.count] = row + fold->state_at;
        folded.records[folded.count] = fil_batch_record(inbox->batch, begin + i);
        folded.count++;
    }
    add_all(fold, &folded, inbox);
    judge(fold);
    return error;
}

/** Each record as a state of its own, made where it goes out. */
static int pass_some(struct fold *fold, struct fil_processor_context *context,
                     struct fil_inbox *inbox)
{
    struct folded folded;
    int64_t times[AT_ONCE];
    uint64_t hashes[AT_ONCE];
    uint32_t room = 0;
    uint8_t *row = fil_outbox_reserve_many(&context->outbox, 0, &room);
    if (row == NULL) {
        return FIL_E_FULL;
    }
    uint32_t left = inbox->limit - inbox->position;
    room = room < AT_ONCE ? room : AT_ONCE;
    room = room < left ? room : left;
    int error = FIL_OK;
    for (folded.count = 0; folded.count < room; folded.count++, row += fold->stride) {
        struct spot spot;
        error = look_at(fold, inbox->batch, inbox->position + folded.count, &spot);
        if (error != FIL_OK) {
            (void)fil_processor_blame_time(
                context, fil_batch_time(inbox->batch, inbox->position + folded.count));
            break;
        }
        begin_row(fold, row, &spot);
        folded.states[folded.count] = row + fold->state_at;
        folded.records[folded.count] =
            fil_batch_record(inbox->batch, inbox->position + folded.count);
        times[folded.count] =
            fold->config->slide == 0 ? FIL_TIME_NONE : spot.start + fold->config->slide - 1;
        hashes[folded.count] =
            fil_outbox_wants_hashes(&context->outbox, 0) ? key_hash(fold, spot.key) : 0;
    }
    uint32_t count = folded.count;
    add_all(fold, &folded, inbox);
    fil_outbox_commit_many(&context->outbox, 0, count, times, hashes);
    fold->pass_left -= count < fold->pass_left ? count : fold->pass_left;
    fold->in_count = 0;
    return error;
}

static int fold_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct fold *fold = self;
    int result = FIL_OK;
    while (result == FIL_OK && inbox->position < inbox->limit) {
        if (fold->must_sweep) {
            result = sweep_all(fold, context);
        } else if (fold->pass_left != 0 || fold->place_count == 0) {
            result = pass_some(fold, context, inbox);
        } else {
            result = fold_some(fold, context, inbox);
        }
    }
    return result;
}

static int fold_watermark(void *self, struct fil_processor_context *context, int64_t time)
{
    struct fold *fold = self;
    return fold->config->slide == 0 ? FIL_OK : sweep(fold, context, time);
}

static int fold_idle(void *self, struct fil_processor_context *context)
{
    return sweep_all(self, context);
}

/** What is held goes out in front of the barrier: the state of those behind the exchange. */
static int fold_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    (void)writer;
    return sweep_all(self, context);
}

const struct fil_processor_ops fil_fold_ops = {.name = "fold",
                                               .size = sizeof(struct fold),
                                               .init = fold_init,
                                               .process = fold_process,
                                               .process_watermark = fold_watermark,
                                               .process_idle = fold_idle,
                                               .complete = fold_idle,
                                               .save = fold_save,
                                               .close = fold_close};
