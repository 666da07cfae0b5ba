// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static uint32_t sorted_stride;

static int compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, sorted_stride);
}

static void append(struct ledger_rows *rows, uint32_t stride, const void *row)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
        rows->data = fil_realloc(rows->data, (size_t)rows->capacity * stride);
        assert_non_null(rows->data);
    }
    memcpy(rows->data + (size_t)rows->count * stride, row, stride);
    rows->count++;
}

static void clear(struct ledger_rows *rows)
{
    fil_free(rows->data);
    *rows = (struct ledger_rows){0};
}

void ledger_init(struct ledger *ledger, uint32_t stride, bool has_transactions)
{
    *ledger = (struct ledger){.stride = stride, .has_transactions = has_transactions};
    ledger->transactions = fil_alloc_zero(LEDGER_TRANSACTIONS_MAX, sizeof(*ledger->transactions));
    assert_non_null(ledger->transactions);
}

void ledger_fini(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->transaction_count; i++) {
        clear(&ledger->transactions[i].rows);
    }
    clear(&ledger->visible);
    fil_free(ledger->transactions);
}

void ledger_add(struct ledger *ledger, const void *row)
{
    append(&ledger->visible, ledger->stride, row);
}

static struct ledger_transaction *find(struct ledger *ledger, int64_t epoch, uint32_t instance)
{
    for (uint32_t i = 0; i < ledger->transaction_count; i++) {
        struct ledger_transaction *each = &ledger->transactions[i];
        if (each->epoch == epoch && each->instance == instance) {
            return each;
        }
    }
    return NULL;
}

/** Hands over what was written; a transaction of a lost attempt is replaced. */
static void prepare(struct ledger *ledger, int64_t epoch, uint32_t instance,
                    struct ledger_rows *rows)
{
    struct ledger_transaction *transaction = find(ledger, epoch, instance);
    if (transaction == NULL) {
        assert_true(ledger->transaction_count < LEDGER_TRANSACTIONS_MAX);
        transaction = &ledger->transactions[ledger->transaction_count];
        ledger->transaction_count++;
        *transaction = (struct ledger_transaction){.epoch = epoch, .instance = instance};
    }
    assert_false(transaction->is_visible);
    clear(&transaction->rows);
    transaction->rows = *rows;
    *rows = (struct ledger_rows){0};
}

static void make_visible(struct ledger *ledger, int64_t epoch, uint32_t instance)
{
    struct ledger_transaction *transaction = find(ledger, epoch, instance);
    if (transaction == NULL) {
        fail_msg("there is no such transaction");
        return;
    }
    for (uint32_t i = 0; !transaction->is_visible && i < transaction->rows.count; i++) {
        ledger_add(ledger, transaction->rows.data + (size_t)i * ledger->stride);
    }
    transaction->is_visible = true;
}

static void sort(struct ledger *ledger)
{
    sorted_stride = ledger->stride;
    if (ledger->visible.count > 1) {
        qsort(ledger->visible.data, ledger->visible.count, ledger->stride, compare_rows);
    }
}

bool ledger_equals(struct ledger *ledger, struct ledger *wanted)
{
    sort(ledger);
    sort(wanted);
    return ledger->visible.count == wanted->visible.count &&
           (wanted->visible.count == 0 ||
            memcmp(ledger->visible.data, wanted->visible.data,
                   (size_t)wanted->visible.count * wanted->stride) == 0);
}

static const uint8_t *row_at(const struct ledger *ledger, uint32_t index)
{
    return ledger->visible.data + (size_t)index * ledger->stride;
}

static bool has_row(struct ledger *ledger, const uint8_t *row)
{
    sorted_stride = ledger->stride;
    return ledger->visible.count != 0 && bsearch(row, ledger->visible.data, ledger->visible.count,
                                                 ledger->stride, compare_rows) != NULL;
}

bool ledger_contains(struct ledger *ledger, struct ledger *wanted)
{
    sort(ledger);
    sort(wanted);
    bool is_contained = true;
    for (uint32_t i = 0; i < wanted->visible.count; i++) {
        is_contained = is_contained && has_row(ledger, row_at(wanted, i));
    }
    for (uint32_t i = 0; i < ledger->visible.count; i++) {
        is_contained = is_contained && has_row(wanted, row_at(ledger, i));
    }
    return is_contained;
}

static bool is_covered(const struct ledger *ledger, const uint8_t *row)
{
    uint32_t place = ledger->stride - (uint32_t)sizeof(uint64_t);
    uint64_t least;
    memcpy(&least, row + place, sizeof(least));
    for (uint32_t i = 0; i < ledger->visible.count; i++) {
        uint64_t number;
        memcpy(&number, row_at(ledger, i) + place, sizeof(number));
        if (memcmp(row_at(ledger, i), row, place) == 0 && number >= least) {
            return true;
        }
    }
    return false;
}

bool ledger_covers(struct ledger *ledger, struct ledger *wanted)
{
    for (uint32_t i = 0; i < wanted->visible.count; i++) {
        if (!is_covered(ledger, row_at(wanted, i))) {
            return false;
        }
    }
    return true;
}

// The sink.

#define PENDING_MAX 256U

struct sink {
    struct ledger *ledger;
    struct ledger_rows rows;
    uint64_t pending[PENDING_MAX]; // epochs that are not visible yet
    uint32_t pending_count;
    uint32_t saved;
    bool is_prepared;
};

static int sink_init(void *self, struct fil_processor_context *context, const void *config)
{
    (void)context;
    ((struct sink *)self)->ledger = ((const struct ledger_sink_config *)config)->ledger;
    return FIL_OK;
}

static int sink_process(void *self, struct fil_processor_context *context, struct fil_inbox *inbox)
{
    struct sink *sink = self;
    (void)context;
    for (; inbox->position < inbox->limit; inbox->position++) {
        const void *row = fil_batch_record(inbox->batch, inbox->position);
        sink->ledger->on_act();
        if (sink->ledger->has_transactions) {
            append(&sink->rows, sink->ledger->stride, row);
        } else {
            ledger_add(sink->ledger, row);
        }
    }
    return FIL_OK;
}

static int sink_save(void *self, struct fil_processor_context *context,
                     struct fil_state_writer *writer)
{
    struct sink *sink = self;
    if (!sink->is_prepared && sink->rows.count != 0) {
        assert_true(sink->pending_count < PENDING_MAX);
        sink->pending[sink->pending_count] = (uint64_t)context->epoch;
        sink->pending_count++;
        prepare(sink->ledger, context->epoch, context->index, &sink->rows);
    }
    sink->is_prepared = true;
    sink->ledger->on_act();
    for (; sink->saved < sink->pending_count; sink->saved++) {
        uint64_t name[2] = {sink->pending[sink->saved], context->index};
        if (!fil_state_put_shard(writer, context->index, fil_bytes_make(name, sizeof(name)),
                                 fil_bytes_make(NULL, 0))) {
            return FIL_E_FULL;
        }
    }
    sink->saved = 0;
    sink->is_prepared = false;
    return FIL_OK;
}

static int sink_commit(void *self, struct fil_processor_context *context, int64_t id)
{
    struct sink *sink = self;
    sink->ledger->on_act();
    uint32_t left = 0;
    for (uint32_t i = 0; i < sink->pending_count; i++) {
        if ((int64_t)sink->pending[i] <= id) {
            make_visible(sink->ledger, (int64_t)sink->pending[i], context->index);
        } else {
            sink->pending[left] = sink->pending[i];
            left++;
        }
    }
    sink->pending_count = left;
    return FIL_OK;
}

static int sink_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                        struct fil_bytes value)
{
    struct sink *sink = self;
    (void)context;
    (void)value;
    uint64_t name[2];
    assert_int_equal(key.size, sizeof(name));
    memcpy(name, key.data, sizeof(name));
    make_visible(sink->ledger, (int64_t)name[0], (uint32_t)name[1]);
    return FIL_OK;
}

static void sink_close(void *self)
{
    clear(&((struct sink *)self)->rows);
}

const struct fil_processor_ops ledger_sink_ops = {.name = "ledger",
                                                  .size = sizeof(struct sink),
                                                  .init = sink_init,
                                                  .process = sink_process,
                                                  .save = sink_save,
                                                  .restore = sink_restore,
                                                  .commit = sink_commit,
                                                  .close = sink_close};
